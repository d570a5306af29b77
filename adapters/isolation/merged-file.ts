import type { FileWrite, GitHead } from "../../machines/tool-call/file-write.ts";
import { type FileContent, fileWrite } from "../../tools/changed-file.ts";
import type { FileChange, FileState } from "./file-state.ts";
import type { PlannedChange } from "./merge-plan.ts";
import type { IsolationRecord } from "./record.ts";

/** A file that a merge changes. */
export interface MergedFile {
  /** The change of the file in the workspace. */
  readonly write: FileWrite;
  /** The difference between the file of the task and the merged file. */
  readonly taken: Pick<FileWrite, "before" | "lines">;
  /** The change of the file of the task since its worktree or copy was created. */
  readonly changed: Pick<FileWrite, "before" | "lines">;
  /** The task that merged. Null: a person. */
  readonly by: string | null;
}

/** A merge whose files are written. */
export interface FinishedMerge {
  readonly record: IsolationRecord;
  /** The folder that the files were merged into. */
  readonly workspace: string;
  readonly files: readonly MergedFile[];
}

/** Records merges, before the files of the task are removed. */
export interface MergeLedger {
  /** Whether merges into a workspace are recorded. */
  isOn(workspace: string): Promise<boolean>;
  /** Durable when it resolves. A merge that was recorded before, or in part, is completed. */
  record(merge: FinishedMerge): Promise<void>;
}

/** The conditions of a merge that all its files share. */
interface MergeContext {
  /** The commit that git has checked out in the workspace. */
  readonly git: GitHead | undefined;
  /** The task that merges. Undefined: a person. */
  readonly by: string | undefined;
}

/** The merged file of a change. Undefined: its content stays as the workspace has it. */
export async function mergedFile(
  { path, before: first, after }: FileChange,
  here: FileState,
  planned: PlannedChange | undefined,
  { git, by }: MergeContext,
): Promise<MergedFile | undefined> {
  // The ledger records files, and no links.
  if (planned === undefined || planned.kind === "link") return undefined;
  const content = planned.kind === "remove" ? null : planned.bytes;
  if (content === undefined) return undefined;
  const own = await bytesOf(after);
  return {
    write: fileWrite({ path, before: await bytesOf(here), after: content }, git),
    taken: differenceOf(path, own, content),
    changed: differenceOf(path, await bytesOf(first), own),
    by: by ?? null,
  };
}

function differenceOf(
  path: string,
  before: FileContent,
  after: FileContent,
): Pick<FileWrite, "before" | "lines"> {
  const { before: hash, lines } = fileWrite({ path, before, after }, undefined);
  return { before: hash, ...(lines !== undefined && { lines }) };
}

const bytesOf = async (state: FileState): Promise<FileContent> => (state === null ? null : state.read());
