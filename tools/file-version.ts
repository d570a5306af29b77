import { createHash } from "node:crypto";
import type { FileVersion } from "../ports/workspace.ts";
import { ToolError } from "./error.ts";

/** The version of a file that does not exist. */
export const NO_FILE: FileVersion = "none";

/** The version of a file with these bytes. */
export const fileVersion = (bytes: Uint8Array): FileVersion =>
  createHash("sha256").update(bytes).digest("hex");

/** The error for a file that has another version than expected. @param what the file, or one of several */
export const fileChanged = (
  what: string,
  next = "Read it again, then send a new call.",
  options?: ErrorOptions,
): ToolError =>
  new ToolError(
    "CHANGED",
    `${what} has changed since this call was sent, by another call or by somebody else, so it was left as it is. ${next}`,
    options,
  );

/** The error for a file that a task knows in another version than it has now. */
export const changedSinceRead = (file: string): ToolError =>
  new ToolError(
    "CHANGED",
    `'${file.slice(0, 200)}' has changed since this task read it, so it was left as it is. Read it again, then send a new call.`,
  );
