import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { tasksFolder } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { TaskHistoryError, toHistoryError } from "./error.ts";
import type { HistoryStore } from "./history-store.ts";
import { isTaskId, JOURNAL } from "./task-folder.ts";

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
export async function findTask(store: HistoryStore, given: string): Promise<string> {
  if ((await store.bytes(given)) !== undefined) return given;
  const [root] = splitId(given);
  const tasks = matchIds(await store.idsFrom(root), given);
  const [only] = tasks;
  if (only === undefined) throw unknownTask(store, given);
  if (tasks.length > 1) throw ambiguous(given, tasks);
  return only;
}

/**
 * Select the tasks that a text names among all: the one with this id, else those whose ids begin with it. No prefix names a
 * subtask beside its root, and the numbers of a subtask are whole: `3f2a.1` is not `3f2a.12`.
 */
export function matchIds(ids: readonly string[], given: string): readonly string[] {
  if (ids.includes(given)) return [given];
  const [root, numbers] = splitId(given);
  const found = ids.filter((id) => {
    const [otherRoot, otherNumbers] = splitId(id);
    return numbers === "" ? id.startsWith(given) : otherNumbers === numbers && otherRoot.startsWith(root);
  });
  // A prefix of a task's id is a prefix of its subtasks' ids too.
  return found.filter((id) => !found.some((other) => id.startsWith(`${other}.`)));
}

/** The two parts of a task's id: its root's id, and the numbers of a subtask with their dots. */
export function splitId(id: string): readonly [root: string, numbers: string] {
  const [numbers = ""] = /(?:\.\d+)+$/.exec(id) ?? [];
  return [id.slice(0, id.length - numbers.length), numbers];
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

export const unknownTask = (
  { place, kind }: Pick<HistoryStore, "place" | "kind">,
  given: string,
): TaskHistoryError =>
  new TaskHistoryError(
    "TASK_UNKNOWN",
    `There is no task ${given} in ${place}. Check the id or id prefix, and the ${kind}.`,
  );

function ambiguous(given: string, found: readonly string[]): TaskHistoryError {
  const more = found.length > NAMED_MAX ? `, and ${found.length - NAMED_MAX} more` : "";
  const named = found.toSorted().slice(0, NAMED_MAX).join(", ");
  return new TaskHistoryError(
    "TASK_AMBIGUOUS",
    `${found.length} tasks begin with ${given}: ${named}${more}. Give more characters of the id.`,
  );
}
