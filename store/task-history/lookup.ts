import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { tasksFolder } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { TaskHistoryError, toHistoryError } from "./error.ts";
import { isTaskId, JOURNAL, taskFolder } from "./task-folder.ts";

/** Maximum number of ids in an error message. */
const NAMED_MAX = 5;

/**
 * List the ids of all tasks that have a folder in `dataDir`, unordered.
 * @throws TaskHistoryError `HISTORY_IO`
 */
export async function taskIds(dataDir: string): Promise<readonly string[]> {
  const folder = tasksFolder(dataDir);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && isTaskId(entry.name) ? [entry.name] : []));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw toHistoryError(folder, error);
  }
}

/**
 * Find a task by a prefix of its id; a subtask by a prefix of its root's id and its numbers: `3f2a.1`.
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `TASK_AMBIGUOUS`, `ID_INVALID`, `HISTORY_IO`
 */
export async function findTask(dataDir: string, given: string): Promise<string> {
  if (await hasJournal(taskFolder(dataDir, given))) return given;
  const found = (await taskIds(dataDir)).filter((id) => matches(id, given));
  const exists = await Promise.all(found.map((id) => hasJournal(taskFolder(dataDir, id))));
  const tasks = found.filter((_, index) => exists[index] === true);
  // A prefix of a task's id is a prefix of its subtasks' ids too.
  const roots = tasks.filter((id) => !tasks.some((other) => id.startsWith(`${other}.`)));
  const [only] = roots;
  if (only === undefined) throw unknownTask(dataDir, given);
  if (roots.length > 1) throw ambiguous(given, roots);
  return only;
}

/** Whether a folder has a journal. @throws TaskHistoryError `HISTORY_IO` */
export const hasJournal = async (folder: string): Promise<boolean> =>
  (await journalBytes(folder)) !== undefined;

/** Size of a task's journal, in bytes; undefined if there is none. @throws TaskHistoryError `HISTORY_IO` */
export async function journalBytes(folder: string): Promise<number | undefined> {
  const filePath = path.join(folder, JOURNAL);
  try {
    const found = await stat(filePath);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw toHistoryError(filePath, error);
  }
}

function matches(id: string, given: string): boolean {
  if (id.startsWith(given)) return true;
  const dot = given.indexOf(".");
  const numbers = id.indexOf(".");
  if (dot < 0 || numbers < 0) return false;
  return id.slice(0, numbers).startsWith(given.slice(0, dot)) && id.slice(numbers) === given.slice(dot);
}

export const unknownTask = (dataDir: string, given: string): TaskHistoryError =>
  new TaskHistoryError(
    "TASK_UNKNOWN",
    `There is no task ${given} in ${tasksFolder(dataDir)}. Check the id or id prefix, and the data folder.`,
  );

function ambiguous(given: string, found: readonly string[]): TaskHistoryError {
  const more = found.length > NAMED_MAX ? `, and ${found.length - NAMED_MAX} more` : "";
  const named = found.toSorted().slice(0, NAMED_MAX).join(", ");
  return new TaskHistoryError(
    "TASK_AMBIGUOUS",
    `${found.length} tasks begin with ${given}: ${named}${more}. Give more characters of the id.`,
  );
}
