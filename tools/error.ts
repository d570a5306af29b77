import { SignalboxError } from "../machines/signalbox-error.ts";

/** Reason why a tool or a tool call fails. */
export type ToolErrorCode =
  /** The path leads outside the workspace, perhaps through a symlink. Name a path inside. */
  | "OUTSIDE_WORKSPACE"
  /** The host of a URL has an address that is not public. Use another one, or allow the host in the tool's options. */
  | "PRIVATE_ADDRESS"
  /** `.rooignore` denies access to the file. Work without it, or change the rules. */
  | "IGNORED"
  /** No such file, folder or tool exists. List what exists. */
  | "NOT_FOUND"
  /** The path is a folder, pipe, socket or device. Name a file. */
  | "NOT_A_FILE"
  /** The file may not be written by this user. Ask the user to change its permissions. */
  | "READ_ONLY"
  /** The path is not a folder. Name a folder. */
  | "NOT_A_FOLDER"
  /** The file exceeds the size limit. Work in parts. */
  | "TOO_LARGE"
  /** The file is not text. Use another tool. */
  | "BINARY"
  /** The text to replace is missing or not unique. Read the file again. */
  | "NO_MATCH"
  /** The file to create exists already. Edit it, or name another. */
  | "EXISTS"
  /** The file changed after the call was reviewed. Read it again, then send a new call. */
  | "CHANGED"
  /** The diff does not have the required form. Follow the form in the message. */
  | "DIFF_INVALID"
  /** The regular expression or glob is not valid. Correct it. */
  | "PATTERN_INVALID"
  /** A mode has an invalid slug or permissions, or two modes share a slug. Correct it. */
  | "MODE_INVALID"
  /** A permission rule does not have a known form. Write it as the message says. */
  | "RULE_INVALID"
  /** The arguments do not match the schema. Send what the message names. */
  | "ARGUMENTS_INVALID"
  /** A tool has an invalid name or schema, or returned no result. Fix the tool. */
  | "TOOL_INVALID"
  /** A hook is invalid, decides something invalid or nothing in time, or two hooks share a name. Correct it. */
  | "HOOK_INVALID"
  /** Two tools share a name or alias. Rename one. */
  | "DUPLICATE_TOOL"
  /** The browser, or the package that drives it, is not installed. Install what the message names. */
  | "NOT_INSTALLED"
  /** The call has no decision and did not run. Call the tool again. */
  | "NOT_RUN"
  /** The tool or the system failed in another way. Read the message. */
  | "FAILED";

/**
 * An expected failure of a tool. The model gets the message: what was expected, what was received, what to do.
 */
export class ToolError extends SignalboxError {
  readonly code: ToolErrorCode;
  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolError";
    this.code = code;
  }
}

/** Format anything that was thrown. */
export function formatError(error: unknown): string {
  if (error instanceof ToolError) return error.message;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return `A value that is not an Error was thrown (${typeof error}).`;
}

/** The message of anything that was thrown, without the name of its class. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : formatError(error);
}
