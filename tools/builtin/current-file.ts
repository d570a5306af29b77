import { ToolError } from "../error.ts";
import type { Workspace } from "../ports.ts";
import { decodeText } from "../text.ts";

/** A text file as it was read, for a later change that expects it unchanged. */
export interface CurrentFile {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** @throws ToolError `binary`, and those of `Workspace.read` */
export async function readCurrent(workspace: Workspace, path: string): Promise<CurrentFile> {
  const bytes = await workspace.read(path);
  const text = decodeText(bytes);
  if (text !== undefined) return { bytes, text };
  throw new ToolError(
    "binary",
    `'${path}' is not UTF-8 text, so it can't be changed in parts. Write the whole file, or use a command.`,
  );
}

/** The content of a file; undefined if there is none. @throws ToolError those of `Workspace.read` */
export async function readIfExists(workspace: Workspace, path: string): Promise<Uint8Array | undefined> {
  try {
    return await workspace.read(path);
  } catch (error) {
    if (error instanceof ToolError && error.code === "not_found") return undefined;
    throw error;
  }
}

/**
 * Run a call that could be described: an edit that does not fit any more has another reason.
 *
 * @throws ToolError `changed` in place of `no_match`, `not_found` and `exists`
 */
export async function sinceReview<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError) || !["no_match", "not_found", "exists"].includes(error.code))
      throw error;
    throw new ToolError(
      "changed",
      `${what} has changed since this call was reviewed, by another call or by somebody else, and nothing was written. ${error.message}`,
      { cause: error },
    );
  }
}
