import { ToolError } from "../error.ts";

/** The `run` of a tool that is nothing but an ask: its answer is its result, so nothing runs. */
export function neverRuns(name: string): () => never {
  return () => {
    throw new ToolError(
      "not_run",
      `${name} was run: expected that it is answered by a person. A tool whose effect is "asks" never runs.`,
    );
  };
}
