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
}

/** A merge whose files are written. */
export interface FinishedMerge {
  readonly record: IsolationRecord;
  /** The folder that the files were merged into. */
  readonly workspace: string;
  /** The task that merged. Absent: a person. */
  readonly by?: string | undefined;
  readonly files: readonly MergedFile[];
}

/** Records merges, before the files of the task are removed. */
export interface MergeLedger {
  /** Whether merges into a workspace are recorded. */
  isOn(workspace: string): Promise<boolean>;
  /** Durable when it resolves. A merge that was recorded before, or in part, is completed. */
  record(merge: FinishedMerge): Promise<void>;
}

/** The merged file of a change. Undefined: its content stays as the workspace has it. */
export async function mergedFile(
  { path, after }: FileChange,
  here: FileState,
  planned: PlannedChange | undefined,
  git: GitHead | undefined,
): Promise<MergedFile | undefined> {
  // The ledger records files, and no links.
  if (planned === undefined || planned.kind === "link") return undefined;
  const content = planned.kind === "remove" ? null : planned.bytes;
  if (content === undefined) return undefined;
  const { before, lines } = fileWrite({ path, before: await bytesOf(after), after: content }, undefined);
  return {
    write: fileWrite({ path, before: await bytesOf(here), after: content }, git),
    taken: { before, ...(lines !== undefined && { lines }) },
  };
}

const bytesOf = async (state: FileState): Promise<FileContent> => (state === null ? null : state.read());
