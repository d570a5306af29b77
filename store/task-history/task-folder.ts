import path from "node:path";
import { CHOSEN_ID_MAX_CHARS, TASK_ID, TASK_ID_MAX_CHARS } from "../../wire/task-id.ts";
import { tasksFolder } from "../files/data-folder.ts";
import { TaskHistoryError } from "./error.ts";

/** File of a task's records. */
export const JOURNAL = "journal.jsonl";
/** File of a task's name. */
export const TITLE = "title";

/** Whether a text is a valid task id. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** Whether a caller may choose the id for a new task. */
export const isChosenId = (id: string): boolean => isTaskId(id) && id.length <= CHOSEN_ID_MAX_CHARS;

/** Check the id that a caller chose for a new task. @throws TaskHistoryError `ID_INVALID` */
export function assertChosenId(id: string): void {
  if (!isChosenId(id)) throw invalidId(id, CHOSEN_ID_MAX_CHARS);
}

/** Check the id of a task. @throws TaskHistoryError `ID_INVALID` */
export function assertTaskId(id: string): void {
  if (!isTaskId(id)) throw invalidId(id, TASK_ID_MAX_CHARS);
}

/** Path of a task's folder. @throws TaskHistoryError `ID_INVALID` */
export function taskFolder(dataDir: string, id: string): string {
  assertTaskId(id);
  return path.join(tasksFolder(dataDir), id);
}

const invalidId = (id: string, maxChars: number): TaskHistoryError =>
  new TaskHistoryError(
    "ID_INVALID",
    `Expected a task id of 1 to ${maxChars} letters, digits, ".", "_" and "-", not starting with ".", got ${JSON.stringify(id.slice(0, 200))}. Choose another id.`,
  );
