import type { FilesEnd } from "../../adapters/isolation/files-end.ts";
import type { Isolation } from "../../adapters/isolation/isolation.ts";
import type { IsolationRecord } from "../../adapters/isolation/record.ts";
import type { IsolatedFiles } from "../../machines/conversation/isolated-files.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import { type SubtaskFiles, stricterKind } from "../../ports/subtask-files.ts";
import type { SubtaskEnd } from "../../ports/subtasks.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import type { SubtaskOptions } from "../options.ts";
import { openIsolation, type TaskIsolationOptions } from "./task-isolation.ts";

export interface IsolatedSubtasksOptions extends TaskIsolationOptions {
  /** Whether a task of this host works now. */
  readonly isWorking: (taskId: string) => boolean;
}

/** A subtask that is created or opened. */
export interface IsolatedSubtask {
  readonly id: string;
  readonly parentId: string;
  /** The files that its parent's call gives it. */
  readonly isolation: IsolatedFiles | undefined;
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
  async optionsOf<O extends SubtaskOptions>(
    { id, parentId, isolation }: IsolatedSubtask,
    options: O,
  ): Promise<O> {
    const { workspace } = options;
    if (workspace === false) return options;
    const kind = stricterKind(options.isolation ?? "shared", isolation ?? "shared");
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
      const record = isSubtaskId(subtaskId, parentId) ? await isolation.find(subtaskId) : undefined;
      // A subtask that works could still change its files.
      if (record?.parentId === parentId && !this.#isWorking(subtaskId)) return record;
      throw await this.#refusal(subtaskId, parentId, record);
    };
    return {
      changes: async (subtaskId, use) => {
        const record = await found(subtaskId);
        const changes = await isolation.changes(record);
        if (use === "merge" && changes.files.length === 0)
          throw await this.#refusal(subtaskId, parentId, record);
        return changes;
      },
      merge: async (subtaskId, options) =>
        isolation.merge(await found(subtaskId), { ...options, by: parentId }),
      decline: async (subtaskId) => {
        const record = await found(subtaskId);
        const files = [...(await isolation.changedPaths(record))];
        await isolation.remove(record, { end: "declined", by: parentId, files });
      },
    };
  }

  async #reportOf(parentId: string, id: string, kind: "finished" | "failed"): Promise<string | undefined> {
    const record = await this.#isolation.find(id);
    // A subtask that another task started can't be created, which is a failure.
    if (record?.parentId !== parentId) return undefined;
    try {
      const { files, text } = await this.#isolation.changes(record);
      if (files.length > 0) return changedReport(record, text);
      if (kind === "finished")
        await this.#isolation.remove(record, { end: "unchanged", by: parentId, files: [] });
      return "It changed no files.";
    } catch (error) {
      return `Its changes can't be read: ${formatError(error)} Its files are in ${record.folder}.`;
    }
  }

  /** The reason why a subtask can't be merged or declined, and those that can. */
  async #refusal(given: string, parentId: string, record: IsolationRecord | undefined): Promise<ToolError> {
    const isOwn = record?.parentId === parentId;
    const isWorking = isOwn && this.#isWorking(given);
    const found = isOwn || !isSubtaskId(given, parentId) ? undefined : await this.#isolation.endOf(given);
    const ended = found?.parentId === parentId ? found : undefined;
    const reason = isWorking
      ? `Subtask ${given.slice(0, ID_MAX_CHARS)} still works: wait for its end.`
      : refusalReason(given.slice(0, ID_MAX_CHARS), isOwn ? { end: "unchanged" } : ended);
    const ids = await this.#mergeable(parentId);
    const expected =
      ids.length === 0
        ? "No subtask of this task has changes to merge or decline now."
        : `Expected a subtask with changes that are neither merged nor declined: ${ids.join(", ")}.`;
    return new ToolError(isWorking ? "NOT_RUN" : "NOT_FOUND", `${reason} ${expected}`);
  }

  /** The ids of the subtasks of a task that have changes and do not work. */
  async #mergeable(parentId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const record of await this.#isolation.list(parentId)) {
      const isEnded = record.parentId === parentId && !this.#isWorking(record.id);
      if (isEnded && (await this.#isolation.changedPaths(record)).length > 0) ids.push(record.id);
    }
    return ids;
  }
}

/** Characters of an id that a message repeats. */
const ID_MAX_CHARS = 200;

/** Whether an id is one of a subtask of this task: the id of its parent, a dot and a number. */
const isSubtaskId = (id: string, parentId: string): boolean =>
  id.startsWith(`${parentId}.`) && /^\d+$/.test(id.slice(parentId.length + 1));

function refusalReason(id: string, ended: FilesEnd | undefined): string {
  switch (ended?.end) {
    case "merged":
      return `The changes of subtask ${id} were merged before${byPerson(ended)}.`;
    case "declined":
      return `The changes of subtask ${id} were declined before${byPerson(ended)}, and are removed.`;
    case "unchanged":
      return `Subtask ${id} changed no files, so there is nothing to merge.`;
    case undefined:
      return `This task has no subtask ${id} with files of its own.`;
  }
}

const byPerson = ({ by }: FilesEnd): string => (by === null ? " by a person" : "");

const changedReport = ({ id, kind }: IsolationRecord, text: string): string =>
  `It worked in ${kind === "copy" ? "a copy" : "a git worktree"} of this workspace, so nothing of it is in your files yet. ` +
  `Call merge_subtask with the id ${JSON.stringify(id)} to merge its changes, or decline_subtask to remove them:\n${text}`;
