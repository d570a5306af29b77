import { existsSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import type { IsolatedFiles } from "../../machines/conversation/isolated-files.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MergeConflict, MergeOptions, MergeResult, SubtaskChanges } from "../../ports/subtask-files.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { PRIVATE_FOLDER } from "../../store/files/data-folder.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { fileChanged } from "../../tools/file-version.ts";
import { checkpointsFolder } from "../checkpoints/store.ts";
import { gitHead } from "../repository/git-head.ts";
import { applyPlan } from "./apply-plan.ts";
import { copyChanges, copyFiles } from "./copy.ts";
import { fileOnDisk } from "./file-on-disk.ts";
import type { FileChange, FileChanges } from "./file-state.ts";
import { type EndedFiles, endRecord, type FilesEnd, readEnd } from "./files-end.ts";
import { startLedger } from "./ledger-folder.ts";
import { DEFAULT_ISOLATION_LIMITS, type IsolationLimits } from "./limits.ts";
import { type FilePlan, type PlannedChange, planFile } from "./merge-plan.ts";
import { type FinishedMerge, type MergedFile, type MergeLedger, mergedFile } from "./merged-file.ts";
import {
  assertHasFiles,
  type IsolationRecord,
  isolationFolder,
  readRecord,
  recordedIds,
  removeRecord,
  writeRecord,
} from "./record.ts";
import { changedFile, formatChanges } from "./report.ts";
import { workingTreeOf } from "./repository.ts";
import { readMerge, removeMerge, writeMerge } from "./unrecorded-merge.ts";
import { addWorktree, planWorktree, removeWorktree, type WorktreeHost, worktreeChanges } from "./worktree.ts";

export interface IsolationOptions {
  readonly dataDir: string;
  readonly clock: Pick<Clock, "now">;
  readonly ledger: MergeLedger;
  /** The environment of git. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly limits?: Partial<IsolationLimits>;
}

export interface IsolatedMergeOptions extends MergeOptions {
  /** The task that merges. Absent: a person. */
  readonly by?: string;
}

/** The task that gets files of its own. */
export interface IsolatedTask {
  readonly id: string;
  readonly parentId?: string | undefined;
  /** The workspace that its files are from. */
  readonly source: string;
  readonly kind: IsolatedFiles;
}

/**
 * The worktrees and copies in which tasks of a data folder work. Each has a record in the data folder, which is written
 * before its files are and removed after them: it is also listed after its process was killed.
 */
export class Isolation {
  readonly #options: IsolationOptions;
  readonly #limits: IsolationLimits;

  constructor(options: IsolationOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_ISOLATION_LIMITS, ...options.limits };
  }

  /**
   * The files of a task: those that it has already, or new ones with what the source has now. The files, the index and the
   * branch of the source stay as they are.
   *
   * @throws ToolError `TOO_LARGE`; `FAILED` if git fails
   */
  async open(task: IsolatedTask): Promise<IsolationRecord> {
    const known = await this.find(task.id);
    if (known?.state === "ready" && existsSync(known.folder)) return known;
    if (known !== undefined) await this.remove(known);
    const host = await this.#host();
    const creating = await this.#plan(task, host);
    await writeRecord(host.dataDir, creating);
    try {
      await mkdir(path.dirname(creating.folder), { recursive: true, mode: PRIVATE_FOLDER });
      if (creating.kind === "worktree") await addWorktree(creating, host);
      else await copyFiles(creating, host.dataDir, this.#limits);
      // Git has no empty folders, and the workspace may be one.
      await mkdir(creating.workspace, { recursive: true });
      await startLedger(creating);
    } catch (error) {
      await this.remove(creating);
      throw error;
    }
    const ready: IsolationRecord = { ...creating, state: "ready" };
    await writeRecord(host.dataDir, ready);
    return ready;
  }

  async #plan(
    { id, parentId, source: given, kind }: IsolatedTask,
    host: WorktreeHost,
  ): Promise<IsolationRecord> {
    const own = isolationFolder(host.dataDir, id);
    const source = await realpath(given);
    const tree = kind === "copy" ? undefined : await workingTreeOf(source, this.#gitOptions());
    const folder = path.join(own, "files", path.basename(tree?.top ?? source) || "root");
    const common = {
      version: 1,
      id,
      ...(parentId !== undefined && { parentId }),
      createdAt: this.#options.clock.now(),
      source,
      folder,
      state: "creating",
    } as const;
    if (tree === undefined)
      return { ...common, kind: "copy", workspace: folder, original: path.join(own, "original") };
    return { ...common, kind: "worktree", ...(await planWorktree({ id, source, folder }, tree, host)) };
  }

  /** The record of a task; undefined for one without files of its own. @throws ToolError `FAILED` if it is damaged */
  async find(id: string): Promise<IsolationRecord | undefined> {
    return readRecord(this.#options.dataDir, id);
  }

  /**
   * The records of all tasks by id, or of the descendants of one task only. No other record is read.
   *
   * @throws ToolError `FAILED` if one of them is damaged
   */
  async list(taskId?: string): Promise<readonly IsolationRecord[]> {
    const records: IsolationRecord[] = [];
    for (const id of await recordedIds(this.#options.dataDir)) {
      const isListed = taskId === undefined || id.startsWith(`${taskId}.`);
      const record = isListed ? await this.find(id) : undefined;
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** The changes of a task. @throws ToolError `NOT_FOUND` if its files are gone; `FAILED` */
  async changes(record: IsolationRecord): Promise<SubtaskChanges> {
    const { list, version } = await this.#changes(record);
    return { files: list.map(changedFile), text: await formatChanges(list, this.#limits), version };
  }

  /**
   * Merge the changes of a task into a workspace, then remove its files. Nothing is written if a conflict is not resolved.
   *
   * @throws ToolError `CHANGED`, `TOO_LARGE`, and the codes of `Workspace.write`
   */
  async merge(
    record: IsolationRecord,
    { workspace, conflicts, expects, by }: IsolatedMergeOptions,
  ): Promise<MergeResult> {
    const { list, version } = await this.#changes(record);
    if (expects !== undefined && expects !== version)
      throw fileChanged(`A file of ${record.id}`, "Look at the changes again, then send a new call.");
    if (list.length > this.#limits.maxChanges)
      throw new ToolError(
        "TOO_LARGE",
        `${record.id} changed ${list.length} files: expected at most ${this.#limits.maxChanges} (maxChanges). Merge them by hand, from ${record.folder}.`,
      );
    const plans: FilePlan[] = [];
    for (const change of list) {
      const here = await fileOnDisk(workspace.root, change.path);
      plans.push(await planFile(change, here, { conflicts, label: record.id, root: workspace.root }));
    }
    const found = plans.flatMap(({ conflict }) => conflict ?? []);
    const isOpen = ({ change, conflict }: FilePlan): boolean =>
      conflict !== undefined && change === undefined;
    if (conflicts !== "keep" && plans.some(isOpen)) return { merged: false, conflicts: openConflicts(plans) };
    const changes = plans.flatMap(({ change }): PlannedChange[] => (change === undefined ? [] : [change]));
    if (await this.#options.ledger.isOn(workspace.root)) {
      const files = await this.#mergedFiles(list, changes, workspace.root, by);
      await this.#applyRecorded(changes, workspace, { record, workspace: workspace.root, files });
    } else await applyPlan(changes, workspace);
    const changed = changes.map((change) => change.path);
    await this.remove(record, { end: "merged", by: by ?? null, files: changed });
    return { merged: true, changed, conflicts: found };
  }

  async #mergedFiles(
    list: readonly FileChange[],
    changes: readonly PlannedChange[],
    root: string,
    by: string | undefined,
  ): Promise<readonly MergedFile[]> {
    const git = await gitHead(root, this.#environment());
    const planned = new Map(changes.map((change) => [change.path, change]));
    const files: MergedFile[] = [];
    for (const change of list) {
      const here = await fileOnDisk(root, change.path);
      const file = await mergedFile(change, here, planned.get(change.path), { git, by });
      if (file !== undefined) files.push(file);
    }
    return files;
  }

  /** Make the changes, and record them together with the files that a killed merge wrote. */
  async #applyRecorded(
    changes: readonly PlannedChange[],
    workspace: Workspace,
    merge: FinishedMerge,
  ): Promise<void> {
    const { dataDir, ledger } = this.#options;
    const { id } = merge.record;
    const earlier = await readMerge(dataDir, id, workspace.root);
    const files = [...earlier, ...merge.files];
    await writeMerge(dataDir, id, workspace.root, files);
    await applyPlan(changes, workspace);
    try {
      await ledger.record({ ...merge, files });
    } catch (error) {
      throw new ToolError(
        "FAILED",
        `The changes of ${id} are merged, but the ledger does not have the merge. The files of the subtask stay: merge again. ${formatError(error)}`,
        { cause: error },
      );
    }
  }

  /** The paths of the files that a task changed. Empty if they can't be read. */
  async changedPaths(record: IsolationRecord): Promise<readonly string[]> {
    try {
      return (await this.#changes(record)).list.map((change) => change.path);
    } catch (error) {
      if (error instanceof ToolError) return [];
      throw error;
    }
  }

  /** The ids of the tasks whose files have ended, once at least. */
  async endedIds(): Promise<readonly string[]> {
    const ids = await recordedIds(this.#options.dataDir);
    const ends = await Promise.all(ids.map(async (id) => ((await this.endOf(id)) === undefined ? [] : [id])));
    return ends.flat();
  }

  /** The last end of the files of a task. Undefined: none has ended. @throws ToolError `FAILED` if it is damaged */
  async endOf(id: string): Promise<FilesEnd | undefined> {
    return readEnd(this.#options.dataDir, id);
  }

  /**
   * Remove the files of a task with their checkpoints, then its record. Its earlier merges stay recorded.
   *
   * @param end the end that is kept for those who ask for the files again. Absent: none, as if they had never existed
   */
  async remove(record: IsolationRecord, end?: EndedFiles): Promise<void> {
    const host = await this.#host();
    if (record.kind === "worktree") await removeWorktree(record, host);
    await rm(checkpointsFolder(host.dataDir, record.workspace), { recursive: true, force: true });
    const own = isolationFolder(host.dataDir, record.id);
    // A process that ends here leaves the record: the rest is removed later.
    for (const folder of ["files", "original"])
      await rm(path.join(own, folder), { recursive: true, force: true });
    await removeMerge(host.dataDir, record.id);
    if (end === undefined) await removeRecord(host.dataDir, record.id);
    else await endRecord(host.dataDir, record, { ...end, at: this.#options.clock.now() });
  }

  async #changes(record: IsolationRecord): Promise<FileChanges> {
    if (record.state === "creating") return { list: [], version: "" };
    assertHasFiles(record);
    return record.kind === "copy"
      ? copyChanges(record, this.#limits)
      : worktreeChanges(record, await this.#host());
  }

  async #host(): Promise<WorktreeHost> {
    const { dataDir, env = process.env } = this.#options;
    await mkdir(dataDir, { recursive: true, mode: PRIVATE_FOLDER });
    // Git names worktrees by their real paths.
    return { dataDir: await realpath(dataDir), env, limits: this.#limits };
  }

  #environment() {
    return { env: this.#options.env ?? process.env };
  }

  #gitOptions() {
    return { ...this.#environment(), timeoutMs: this.#limits.gitTimeoutMs };
  }
}

const openConflicts = (plans: readonly FilePlan[]): readonly MergeConflict[] =>
  plans.flatMap(({ change, conflict }) => (conflict !== undefined && change === undefined ? [conflict] : []));
