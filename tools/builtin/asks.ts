import { ToolError } from "../error.ts";

/** The `run` of a tool whose result comes from the user, a subtask or the task itself. */
export function neverRuns(
  name: string,
  instead: "answered by the user" | "done by a subtask" | "applied by the task" = "answered by the user",
): () => never {
  return () => {
    throw new ToolError(
      "NOT_RUN",
      `Expected ${name} to be ${instead}, but it was run. Such a tool has no run of its own.`,
    );
  };
}
