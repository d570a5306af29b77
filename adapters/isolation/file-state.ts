import { fileVersion, NO_FILE } from "../../tools/file-version.ts";

/** A file at one time. Null: there is none. */
export type FileState = null | PresentFile;

interface PresentFile {
  /** `other`: a submodule, a folder or a device, which no merge changes. */
  readonly kind: "file" | "link" | "other";
  readonly isExecutable: boolean;
  /** Read the bytes as they are in a working tree; for a symlink, its target. */
  read(): Promise<Uint8Array>;
}

/** A file that differs from the state that the files had at first. */
export interface FileChange {
  /** Relative to the workspace, with slashes; one that begins with `../` is in the repository, but outside of the workspace. */
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
}

/** The files of a worktree or a copy that differ from what they were at first. */
export interface FileChanges {
  readonly list: readonly FileChange[];
  /** Identifies the changes. */
  readonly version: string;
}

/** Identifies a state: the same kind, bytes and executable bit have the same version. */
export const stateVersion = async (state: FileState): Promise<string> =>
  state === null ? NO_FILE : `${state.kind} ${state.isExecutable} ${fileVersion(await state.read())}`;

/** Whether two states have the same kind, bytes and executable bit. */
export async function isSameFile(one: FileState, other: FileState): Promise<boolean> {
  if (one === null || other === null) return one === other;
  return one.isExecutable === other.isExecutable && (await hasSameContent(one, other));
}

/** Whether two files have the same kind and bytes. */
export async function hasSameContent(one: PresentFile, other: PresentFile): Promise<boolean> {
  if (one.kind !== other.kind) return false;
  const [left, right] = await Promise.all([one.read(), other.read()]);
  return Buffer.compare(left, right) === 0;
}

/** Whether a path is a file of a ledger, with records of writes. Each workspace has its own, so none is copied or merged. */
export const isLedger = (path: string): boolean => /(?:^|\/)\.orchestration\/agent_trace\./.test(path);

export const isOutside = ({ path }: Pick<FileChange, "path">): boolean => path.startsWith("../");
