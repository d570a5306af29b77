import type { Workspace } from "./workspace.ts";

/** Ways to keep the files of a task apart from its source, the strictest last. `worktree`: a copy where there is no git. */
export const ISOLATION_KINDS = ["shared", "worktree", "copy"] as const;
export type IsolationKind = (typeof ISOLATION_KINDS)[number];

/** The kinds that are at least as strict as this one. */
export const atLeastAsStrict = (kind: IsolationKind): readonly IsolationKind[] =>
  ISOLATION_KINDS.slice(ISOLATION_KINDS.indexOf(kind));

/** The stricter one of two kinds: a subtask is never less apart than its parent demands (law GRANT). */
export const stricterKind = (one: IsolationKind, other: IsolationKind): IsolationKind =>
  atLeastAsStrict(one).includes(other) ? other : one;

/** A file that a subtask changed in a workspace of its own. */
export interface SubtaskFile {
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
}

/** The changes of a subtask that has files of its own. */
export interface SubtaskChanges {
  readonly files: readonly SubtaskFile[];
  /** A line for each file, and a unified diff of at most some thousand characters. */
  readonly text: string;
  /** Identifies the changes: the same changes have the same version. */
  readonly version: string;
}

/**
 * The choices of a merge where the parent and the subtask changed the same lines. `stop`: merge nothing. `mark`: write both into
 * the file, with markers. `keep`: keep the version of the parent. `take`: take the version of the subtask.
 */
export const CONFLICT_CHOICES = ["stop", "mark", "keep", "take"] as const;
export type ConflictChoice = (typeof CONFLICT_CHOICES)[number];

/** A file that both the parent and the subtask changed. */
export interface MergeConflict {
  readonly path: string;
  /** A clause, such as `both changed line 3`. */
  readonly reason: string;
}

/** The result of a merge. With `merged: false` no file was changed. */
export type MergeResult =
  | {
      readonly merged: true;
      readonly changed: readonly string[];
      readonly conflicts: readonly MergeConflict[];
    }
  | { readonly merged: false; readonly conflicts: readonly MergeConflict[] };

export interface MergeOptions {
  /** The workspace of the parent, or another one that the changes are merged into. */
  readonly workspace: Workspace;
  readonly conflicts: ConflictChoice;
  /** The version of the changes that were approved. Default: any. */
  readonly expects?: string | undefined;
}

/**
 * The files of the subtasks of a task that work in worktrees or copies. Each method rejects with a ToolError: `NOT_FOUND`
 * for a subtask without files of its own, or whose files were merged or declined, `NOT_RUN` for one that still works, `FAILED`
 * where git or the disk fails.
 */
export interface SubtaskFiles {
  /** The changes to merge or to decline. @throws ToolError `NOT_FOUND` if there is nothing to merge */
  changes(subtaskId: string, use: "merge" | "decline"): Promise<SubtaskChanges>;
  /**
   * Merge the changes into the files of the parent, and remove the files of the subtask. After a conflict that is not
   * resolved, or an error, the files of the subtask stay.
   *
   * @throws ToolError `CHANGED` if the changes have another version than `expects`, and the codes of `Workspace.write`
   */
  merge(subtaskId: string, options: MergeOptions): Promise<MergeResult>;
  /** Remove the files of the subtask without a merge. */
  decline(subtaskId: string): Promise<void>;
}
