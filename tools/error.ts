import { SignalboxError } from "../machines/signalbox-error.ts";

/** Reason why a tool or a tool call fails. */
export type ToolErrorCode =
  /** The path leads outside the workspace, perhaps through a symlink. Name a path inside. */
  | "outside_workspace"
  /** The host of a URL has an address that is not public. Use another one, or allow the host in the tool's options. */
  | "private_address"
  /** `.rooignore` denies access to the file. Work without it, or change the rules. */
  | "ignored"
  /** No such file, folder or tool exists. List what exists. */
  | "not_found"
  /** The path is a folder, pipe, socket or device. Name a file. */
  | "not_a_file"
  /** The file may not be written by this user. Ask the user to change its permissions. */
  | "read_only"
  /** The path is not a folder. Name a folder. */
  | "not_a_folder"
  /** The file exceeds the size limit. Work in parts. */
  | "too_large"
  /** The file is not text. Use another tool. */
  | "binary"
  /** The text to replace is missing or not unique. Read the file again. */
  | "no_match"
  /** The file to create exists already. Edit it, or name another. */
  | "exists"
  /** The file changed after the call was reviewed. Read it again, then send a new call. */
  | "changed"
  /** The diff does not have the required form. Follow the form in the message. */
  | "bad_diff"
  /** The regular expression or glob is not valid. Correct it. */
  | "bad_pattern"
  /** A mode has an invalid slug or permissions, or two modes share a slug. Correct it. */
  | "bad_mode"
  /** A permission rule does not have a known form. Write it as the message says. */
  | "bad_rule"
  /** The arguments do not match the schema. Send what the message names. */
  | "bad_arguments"
  /** A tool has an invalid name or schema, or returned no result. Fix the tool. */
  | "bad_tool"
  /** A hook is invalid, decides something invalid or nothing in time, or two hooks share a name. Correct it. */
  | "bad_hook"
  /** Two tools share a name or alias. Rename one. */
  | "duplicate_tool"
  /** The browser, or the package that drives it, is not installed. Install what the message names. */
  | "not_installed"
  /** The call has no decision and did not run. Call the tool again. */
  | "not_run"
  /** The tool or the system failed in another way. Read the message. */
  | "failed";

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
