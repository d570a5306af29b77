import { randomUUID } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncFolders, tasksFolder } from "../files/index.ts";
import { fileJournal, type JournalDriver } from "../journal/index.ts";
import { toHistoryError } from "./error.ts";
import { hasJournal, unknownTask } from "./lookup.ts";
import type { TaskSummary } from "./summary.ts";
import { taskFolder } from "./task-folder.ts";
import { listTasks } from "./task-list.ts";

export interface DeleteOptions {
  /** Also the subtasks, and theirs. Default false. */
  readonly recursive?: boolean;
}

/** What a deletion did. */
export interface DeletedTasks {
  /** In the order in which they went: a subtask before whom it worked for. */
  readonly deleted: readonly string[];
  /** Subtasks of a task that was deleted, which are still there. */
  readonly remaining: readonly string[];
}

const TRASH = ".deleted-";

/**
 * Deletes a task for good: its journal and all that lies beside it. One that any process has open is refused, and then
 * nothing is deleted.
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
 * @throws JournalError `JOURNAL_LOCKED`: says who has it
 */
export async function deleteTask(
  dataDir: string,
  id: string,
  { recursive = false }: DeleteOptions = {},
): Promise<DeletedTasks> {
  if (!(await hasJournal(taskFolder(dataDir, id)))) throw unknownTask(dataDir, id);
  const family = descendants(await listTasks({ dataDir }), id);
  const going = recursive ? [...family.toReversed(), id] : [id];
  const drivers: JournalDriver[] = [];
  try {
    // All are taken before the first goes.
    for (const one of going) {
      const driver = fileJournal({ dir: taskFolder(dataDir, one) });
      drivers.push(driver);
      await driver.own();
    }
    for (const one of going) await remove(dataDir, one);
  } finally {
    for (const driver of drivers) await driver.close();
  }
  await emptyTrash(dataDir);
  return { deleted: going, remaining: recursive ? [] : family };
}

/** Its subtasks and theirs, whoever works for another behind it. */
function descendants(tasks: readonly TaskSummary[], id: string): readonly string[] {
  const found = [id];
  for (const parent of found)
    for (const task of tasks) if (task.parentId === parent && !found.includes(task.id)) found.push(task.id);
  return found.slice(1);
}

/** Under a name that no task has, it is gone at once and whole; what it holds goes then. */
async function remove(dataDir: string, id: string): Promise<void> {
  const folder = taskFolder(dataDir, id);
  try {
    await rename(folder, path.join(tasksFolder(dataDir), `${TRASH}${id}-${randomUUID()}`));
    await syncFolders(tasksFolder(dataDir));
  } catch (error) {
    throw toHistoryError(folder, error);
  }
}

/** Also what a crash left of deletions before. */
async function emptyTrash(dataDir: string): Promise<void> {
  const folder = tasksFolder(dataDir);
  try {
    const trash = (await readdir(folder)).filter((name) => name.startsWith(TRASH));
    for (const name of trash) await rm(path.join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw toHistoryError(folder, error);
  }
}
