import type { HeldTask, HistoryStore } from "./history-store.ts";
import { unknownTask } from "./lookup.ts";

export interface DeleteOptions {
  /** Whether to delete subtasks too, recursively. Default false. */
  readonly recursive?: boolean;
}

/** Result of a deletion. */
export interface DeletedTasks {
  /** Deleted tasks in order: subtasks before their parents. */
  readonly deleted: readonly string[];
  /** Subtasks of the deleted task that still exist. */
  readonly remaining: readonly string[];
}

/**
 * Delete a task: its journal and all that is stored with it. Deletes nothing if a process has one of the tasks open.
 * When a parent that waits for a deleted subtask resumes, its call is settled as deleted, and the subtask is not created again (L16).
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
 * @throws JournalError `JOURNAL_LOCKED`: names the owner
 */
export async function deleteTask(
  store: HistoryStore,
  id: string,
  { recursive = false }: DeleteOptions = {},
): Promise<DeletedTasks> {
  if ((await store.bytes(id)) === undefined) throw unknownTask(store, id);
  const subtasks = await store.descendants(id);
  const ids = recursive ? [...subtasks.toReversed(), id] : [id];
  const held = new Map<string, HeldTask>();
  try {
    // Lock all tasks before the first is deleted.
    for (const taskId of ids) held.set(taskId, await store.hold(taskId));
    for (const [taskId, task] of held) await task.remove(await parentOf(store, taskId));
  } finally {
    for (const task of held.values()) await task.close();
  }
  await store.removed(ids);
  return { deleted: ids, remaining: recursive ? [] : subtasks };
}

/** The parent of a subtask. Without a valid header, it is the id without its last dot and number. */
async function parentOf(store: HistoryStore, id: string): Promise<string | undefined> {
  const header = await store.header(id);
  return header === undefined ? /^(.+)\.\d+$/.exec(id)?.[1] : header.parent?.taskId;
}
