import { randomUUID } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { JournalDriver } from "../../ports/journal.ts";
import { deletedMark, tasksFolder } from "../files/data-folder.ts";
import { writePrivateFile } from "../files/replace-file.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { systemCode } from "../files/system-code.ts";
import { fileJournal } from "../journal/file.ts";
import { toHistoryError } from "./error.ts";
import { headerOf } from "./header.ts";
import { hasJournal, unknownTask } from "./lookup.ts";
import type { TaskSummary } from "./summary.ts";
import { taskFolder } from "./task-folder.ts";
import { readIndex, writeIndex } from "./task-index.ts";
import { listTasks } from "./task-list.ts";

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

const TRASH = ".deleted-";

/**
 * Delete a task: its journal and all other files of its folder. Deletes nothing if a process has one of the tasks open.
 * When a parent that waits for a deleted subtask resumes, its call is settled as deleted, and the subtask is not created again (L16).
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
 * @throws JournalError `JOURNAL_LOCKED`: names the owner
 */
export async function deleteTask(
  dataDir: string,
  id: string,
  { recursive = false }: DeleteOptions = {},
): Promise<DeletedTasks> {
  if (!(await hasJournal(taskFolder(dataDir, id)))) throw unknownTask(dataDir, id);
  const subtasks = descendants(await listTasks({ dataDir }), id);
  const ids = recursive ? [...subtasks.toReversed(), id] : [id];
  const drivers: JournalDriver[] = [];
  try {
    // Lock all tasks before the first is deleted.
    for (const taskId of ids) {
      const driver = fileJournal({ dir: taskFolder(dataDir, taskId) });
      drivers.push(driver);
      await driver.own();
    }
    for (const taskId of ids) await remove(dataDir, taskId);
  } finally {
    for (const driver of drivers) await driver.close();
  }
  const index = await readIndex(dataDir);
  await writeIndex(dataDir, new Map([...index].filter(([taskId]) => !ids.includes(taskId))));
  await emptyTrash(dataDir);
  return { deleted: ids, remaining: recursive ? [] : subtasks };
}

/** All subtasks of a task, parents before their subtasks. */
function descendants(tasks: readonly TaskSummary[], id: string): readonly string[] {
  const found = [id];
  for (const parent of found)
    for (const task of tasks) if (task.parentId === parent && !found.includes(task.id)) found.push(task.id);
  return found.slice(1);
}

/**
 * Rename the folder of a task, atomically, to a name that is not a task id. The mark of a deleted subtask is durable before:
 * it counts only once the journal is gone.
 */
async function remove(dataDir: string, id: string): Promise<void> {
  const folder = taskFolder(dataDir, id);
  try {
    await mark(dataDir, id);
    await rename(folder, path.join(tasksFolder(dataDir), `${TRASH}${randomUUID()}`));
    await syncFolders(tasksFolder(dataDir));
  } catch (error) {
    throw toHistoryError(folder, error);
  }
}

/** Mark a subtask as deleted in the folder of its parent, with which the mark goes. */
async function mark(dataDir: string, id: string): Promise<void> {
  const parentId = parentOf(dataDir, id);
  if (parentId === undefined) return;
  const folder = taskFolder(dataDir, parentId);
  try {
    await writePrivateFile(path.join(folder, deletedMark(id)), "");
    await syncFolders(folder);
  } catch (error) {
    // Without its parent, nothing can create the subtask again.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** The parent of a subtask. Without a valid header, it is the id without its last dot and number. */
function parentOf(dataDir: string, id: string): string | undefined {
  const header = headerOf(dataDir, id);
  return header === undefined ? /^(.+)\.\d+$/.exec(id)?.[1] : header.parent?.taskId;
}

/** Remove renamed folders, also those that a crash left. */
async function emptyTrash(dataDir: string): Promise<void> {
  const folder = tasksFolder(dataDir);
  try {
    const trash = (await readdir(folder)).filter((name) => name.startsWith(TRASH));
    for (const name of trash) await rm(path.join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw toHistoryError(folder, error);
  }
}
