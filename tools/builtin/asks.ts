import { ToolError } from "../error.ts";

const INSTEAD = { asks: "answered by a person", delegates: "done by a subtask" } as const;

/** The `run` of a tool whose result comes from elsewhere, from a person or from a subtask: so nothing runs. */
export function neverRuns(name: string, effect: keyof typeof INSTEAD = "asks"): () => never {
  return () => {
    throw new ToolError(
      "not_run",
      `${name} was run: expected that it is ${INSTEAD[effect]}. A tool whose effect is "${effect}" never runs.`,
    );
  };
}
