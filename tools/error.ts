/** What went wrong with a tool or a call of it. */
export type ToolErrorCode =
  | "outside_workspace"
  | "ignored"
  | "not_found"
  | "not_a_file"
  | "not_a_folder"
  | "too_large"
  | "binary"
  | "no_match"
  | "bad_diff"
  | "bad_pattern"
  | "bad_arguments"
  | "bad_tool"
  | "duplicate_tool"
  | "not_run"
  | "failed";

/**
 * An expected failure of a tool. Its message is told to the model, so it says where, what was expected, what
 * came and what to do.
 */
export class ToolError extends Error {
  readonly code: ToolErrorCode;
  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolError";
    this.code = code;
  }
}

/** One line that says what `error` is, whatever was thrown. */
export function sayError(error: unknown): string {
  if (error instanceof ToolError) return error.message;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return `Something that is not an Error was thrown (${typeof error}).`;
}
