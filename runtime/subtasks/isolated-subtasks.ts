import type { Isolation } from "../../adapters/isolation/isolation.ts";
import type { IsolationRecord } from "../../adapters/isolation/record.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { SubtaskFiles } from "../../ports/subtask-files.ts";
import type { SubtaskEnd } from "../../ports/subtasks.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import type { SubtaskOptions } from "../options.ts";
import { openIsolation, type TaskIsolationOptions } from "./task-isolation.ts";

export interface IsolatedSubtasksOptions extends TaskIsolationOptions {
  /** Whether a task of this host works now. */
  readonly isWorking: (taskId: string) => boolean;
}

/** The files of subtasks that work in worktrees or copies. */
export class IsolatedSubtasks {
  readonly #isolation: Isolation;
  readonly #isWorking: (taskId: string) => boolean;

  constructor({ isWorking, ...options }: IsolatedSubtasksOptions) {
    this.#isolation = openIsolation(options);
    this.#isWorking = isWorking;
  }

  /**
   * The options of a subtask that is created or opened, with the workspace that it works in: the one that it has had, or a new
   * one if its files are isolated.
   *
   * @throws ToolError if it can't be created
   */
  async optionsOf<O extends SubtaskOptions>(id: string, parentId: string, options: O): Promise<O> {
    const { isolation: kind = "shared", workspace } = options;
    if (workspace === false) return options;
    const known = await this.#isolation.find(id);
    if (kind === "shared" && known === undefined) return options;
    const source = typeof workspace === "string" ? workspace : workspace.root;
    const isolated = { id, parentId, source, kind: kind === "shared" ? (known?.kind ?? "copy") : kind };
    return { ...options, workspace: (await this.#isolation.open(isolated)).workspace };
  }

  /** The end of a subtask, with the changes that it made in files of its own. Files without a change are removed. */
  async withChanges<E extends SubtaskEnd | SubtaskOutcome>(parentId: string, id: string, end: E): Promise<E> {
    if (end.kind !== "finished" && end.kind !== "failed") return end;
    const report = await this.#reportOf(parentId, id, end.kind);
    if (report === undefined) return end;
    return end.kind === "finished"
      ? { ...end, result: `${end.result}\n\n${report}` }
      : { ...end, message: `${end.message}\n\n${report}` };
  }

  /** The files of the subtasks of a task. */
  filesOf(parentId: string): SubtaskFiles {
    const isolation = this.#isolation;
    const found = async (subtaskId: string): Promise<IsolationRecord> => {
      const record = await isolation.find(subtaskId);
      if (record?.parentId === parentId) return record;
      throw await this.#unknown(subtaskId, parentId);
    };
    /** A subtask that works could still change its files. */
    const ended = async (subtaskId: string): Promise<IsolationRecord> => {
      const record = await found(subtaskId);
      if (!this.#isWorking(subtaskId)) return record;
      throw new ToolError(
        "NOT_RUN",
        `Subtask ${subtaskId} still works: expected one that has ended. Wait for its end.`,
      );
    };
    return {
      changes: async (subtaskId) => isolation.changes(await found(subtaskId)),
      merge: async (subtaskId, options) =>
        isolation.merge(await ended(subtaskId), { ...options, by: parentId }),
      decline: async (subtaskId) => isolation.remove(await ended(subtaskId)),
    };
  }

  async #reportOf(parentId: string, id: string, kind: "finished" | "failed"): Promise<string | undefined> {
    const record = await this.#isolation.find(id);
    // A subtask that another task started can't be created, which is a failure.
    if (record?.parentId !== parentId) return undefined;
    try {
      const { files, text } = await this.#isolation.changes(record);
      if (files.length > 0) return changedReport(record, text);
      if (kind === "finished") await this.#isolation.remove(record);
      return "It changed no files.";
    } catch (error) {
      return `Its changes can't be read: ${formatError(error)} Its files are in ${record.folder}.`;
    }
  }

  async #unknown(subtaskId: string, parentId: string): Promise<ToolError> {
    const ids = (await this.#isolation.list(parentId))
      .filter((each) => each.parentId === parentId)
      .map(({ id }) => id);
    const expected = ids.length === 0 ? "there is none" : `expected ${ids.join(", ")}`;
    return new ToolError(
      "NOT_FOUND",
      `No subtask ${subtaskId.slice(0, 200)} of this task has changes that are neither merged nor declined: ${expected}.`,
    );
  }
}

const changedReport = ({ id, kind }: IsolationRecord, text: string): string =>
  `It worked in ${kind === "copy" ? "a copy" : "a git worktree"} of this workspace, so nothing of it is in your files yet. ` +
  `Call merge_subtask with the id ${JSON.stringify(id)} to merge its changes, or decline_subtask to remove them:\n${text}`;
