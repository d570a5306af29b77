/** Lines of a text, counted from 1. A range without lines is before the line `start`. */
interface LineRange {
  readonly start: number;
  readonly count: number;
}

/** Lines of a file that were replaced. */
export interface LineChange {
  readonly before: LineRange;
  readonly after: LineRange;
}

/** Numbers of added and removed lines. */
export const lineStats = (
  lines: readonly LineChange[],
): { readonly added: number; readonly removed: number } => ({
  added: lines.reduce((sum, { after }) => sum + after.count, 0),
  removed: lines.reduce((sum, { before }) => sum + before.count, 0),
});

/** SHA-256 of a file's content, in hexadecimal. Null: there is no file. `unknown`: it can't be read, or is too large. */
export type FileHash = string | null;

/** The commit and the branch that git had checked out. */
export interface GitHead {
  /** Hash of the commit. Null: there is none. */
  readonly revision: string | null;
  /** Null: no branch. */
  readonly branch: string | null;
}

/** A change of one file by a tool call. */
export interface FileWrite {
  /** Real path relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly before: FileHash;
  readonly after: FileHash;
  /** In order. Absent: one of both contents is no text. */
  readonly lines?: readonly LineChange[];
  /** Absent outside a git repository. */
  readonly git?: GitHead;
}
