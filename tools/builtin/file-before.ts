import type { FileVersion, TextEncoding, Workspace } from "../../ports/workspace.ts";
import { ToolError } from "../error.ts";
import { fileVersion, NO_FILE } from "../file-version.ts";
import { decodeText, EXPECTED_TEXT, encodingOf } from "../text-encoding.ts";

/** A file before an edit. */
export type FileBefore =
  | { readonly kind: "none" | "binary"; readonly version: FileVersion }
  | TextBefore
  /** Too large to be read. */
  | { readonly kind: "large"; readonly version?: undefined };

interface TextBefore {
  readonly kind: "text";
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly version: FileVersion;
}

/**
 * The file of exactly this path.
 *
 * @throws ToolError as `Workspace.read`, but for a file that is missing or too large
 */
export async function readBefore(workspace: Pick<Workspace, "read">, path: string): Promise<FileBefore> {
  try {
    return fileBefore(await workspace.read(path, { exact: true }));
  } catch (error) {
    if (error instanceof ToolError && error.code === "NOT_FOUND") return { kind: "none", version: NO_FILE };
    if (error instanceof ToolError && error.code === "TOO_LARGE") return { kind: "large" };
    throw error;
  }
}

/** The version of a file as it is now; undefined for one that can't be read. */
export async function currentVersion(
  workspace: Pick<Workspace, "read">,
  path: string,
): Promise<FileVersion | undefined> {
  try {
    return (await readBefore(workspace, path)).version;
  } catch {
    return undefined;
  }
}

/** A file that is changed in parts. @throws ToolError `BINARY`, and the codes of `Workspace.read` */
export async function readText(workspace: Workspace, path: string): Promise<TextBefore> {
  const before = fileBefore(await workspace.read(path));
  if (before.kind === "text") return before;
  throw new ToolError(
    "BINARY",
    `'${path}' can't be changed in parts: expected ${EXPECTED_TEXT}. Write the whole file, or use a command.`,
  );
}

/** The encoding of a file that is text. */
export const encodingIn = (before: FileBefore): TextEncoding | undefined =>
  before.kind === "text" ? before.encoding : undefined;

/** Empty for a file that is not text. */
export const textIn = (before: FileBefore): string => (before.kind === "text" ? before.text : "");

function fileBefore(bytes: Uint8Array): TextBefore | Extract<FileBefore, { kind: "none" | "binary" }> {
  const version = fileVersion(bytes);
  const text = decodeText(bytes);
  return text === undefined
    ? { kind: "binary", version }
    : { kind: "text", text, encoding: encodingOf(bytes), version };
}
