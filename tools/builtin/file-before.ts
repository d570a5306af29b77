import { createHash } from "node:crypto";
import { ToolError } from "../error.ts";
import type { Workspace } from "../ports.ts";
import { decodeText } from "../text.ts";

/** A file before an edit. `base` says whether it has changed since: an edit that a person amended is for this base. */
export type FileBefore =
  | { readonly kind: "none" | "binary"; readonly base: string }
  | { readonly kind: "text"; readonly text: string; readonly base: string }
  /** Too large to be read. */
  | { readonly kind: "large" };

/** A file that does not exist. */
export const NO_FILE: FileBefore = { kind: "none", base: "none" };

/** @throws ToolError as `Workspace.read`, but for a file that is missing or too large */
export async function readBefore(workspace: Workspace, path: string): Promise<FileBefore> {
  try {
    return fileBefore(await workspace.read(path));
  } catch (error) {
    if (error instanceof ToolError && error.code === "not_found") return NO_FILE;
    if (error instanceof ToolError && error.code === "too_large") return { kind: "large" };
    throw error;
  }
}

/** A file with this content. */
export function fileBefore(bytes: Uint8Array): FileBefore {
  const base = createHash("sha256").update(bytes).digest("hex");
  const text = decodeText(bytes);
  return text === undefined ? { kind: "binary", base } : { kind: "text", text, base };
}
