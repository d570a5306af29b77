import type { FileHash, FileWrite, GitHead } from "../machines/tool-call/file-write.ts";
import { lineChanges } from "./diff/line-changes.ts";
import { fileVersion } from "./file-version.ts";
import { decodeText } from "./text-encoding.ts";

/** The content of a file. Null: there is no file. `unknown`: it can't be read, is too large, or is a symlink. */
export type FileContent = Uint8Array | null | "unknown";

/** A file that was changed, and what it was before. */
export interface ChangedFile {
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  readonly before: FileContent;
  readonly after: FileContent;
}

/** The record of a changed file. */
export function fileWrite({ path, before, after }: ChangedFile, git: GitHead | undefined): FileWrite {
  const [old, now] = [textOf(before), textOf(after)];
  return {
    path,
    before: hashOf(before),
    after: hashOf(after),
    ...(old !== undefined && now !== undefined && { lines: lineChanges(old, now) }),
    ...(git !== undefined && { git }),
  };
}

export const hashOf = (content: FileContent): FileHash =>
  content === null || content === "unknown" ? content : fileVersion(content);

/** Empty without a file; undefined if it is no text. */
function textOf(content: FileContent): string | undefined {
  if (content === null) return "";
  return content === "unknown" ? undefined : decodeText(content);
}
