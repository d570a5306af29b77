import { ToolError } from "../error.ts";

const INSTEAD = { asks: "answered by the user", delegates: "done by a subtask" } as const;

/** The `run` of a tool whose result comes from the user or a subtask. */
export function neverRuns(name: string, effect: keyof typeof INSTEAD = "asks"): () => never {
  return () => {
    throw new ToolError(
      "not_run",
      `Expected ${name} to be ${INSTEAD[effect]}, but it was run. A tool whose effect is "${effect}" never runs.`,
    );
  };
}
