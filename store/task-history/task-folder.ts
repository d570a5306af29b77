import path from "node:path";
import { tasksFolder } from "../files/index.ts";
import { TaskHistoryError } from "./error.ts";

const TASK_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** The file of a task that holds its records. */
export const JOURNAL = "journal.jsonl";
/** The file of a task that holds the name that it was given. */
export const TITLE = "title";

/** Whether this can be the id of a task. No other name in the folder of the tasks is one. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** The folder of a task. @throws TaskHistoryError `ID_INVALID` */
export function taskFolder(dataDir: string, id: string): string {
  if (isTaskId(id)) return path.join(tasksFolder(dataDir), id);
  throw new TaskHistoryError(
    "ID_INVALID",
    `The id ${JSON.stringify(id.slice(0, 200))} can't be used: expected 1 to 128 letters, digits, ".", "_" and "-", not beginning with ".". Choose another one.`,
  );
}
