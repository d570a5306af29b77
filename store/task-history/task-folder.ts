import path from "node:path";
import { TASK_ID } from "../../wire/index.ts";
import { tasksFolder } from "../files/index.ts";
import { TaskHistoryError } from "./error.ts";

/** File of a task's records. */
export const JOURNAL = "journal.jsonl";
/** File of a task's name. */
export const TITLE = "title";

/** Whether a text is a valid task id. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** Path of a task's folder. @throws TaskHistoryError `ID_INVALID` */
export function taskFolder(dataDir: string, id: string): string {
  if (isTaskId(id)) return path.join(tasksFolder(dataDir), id);
  throw new TaskHistoryError(
    "ID_INVALID",
    `Expected a task id of 1 to 128 letters, digits, ".", "_" and "-", not starting with ".", got ${JSON.stringify(id.slice(0, 200))}. Choose another id.`,
  );
}
