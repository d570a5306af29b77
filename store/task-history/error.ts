import { SignalboxError } from "../../machines/signalbox-error.ts";
import { systemCode } from "../files/system-code.ts";

/** Reason why a task on disk cannot be found or changed. */
export type TaskHistoryErrorCode =
  /** No task has this id or id prefix. Check the id and the data folder. */
  | "TASK_UNKNOWN"
  /** Several task ids begin with this prefix. Give more characters. */
  | "TASK_AMBIGUOUS"
  /** The id for the fork is taken. Choose another id. */
  | "TASK_EXISTS"
  /** The text is not a valid task id. Choose another one. */
  | "ID_INVALID"
  /** The name has several lines or too many characters. Choose a shorter one. */
  | "NAME_INVALID"
  /** The task has no such record. Choose one from 1 to the last. */
  | "FORK_INVALID"
  /** The data folder or the database cannot be read or written. Check the folder, its permissions and the disk, or the server. */
  | "HISTORY_IO";

/** A stored task cannot be found or changed. */
export class TaskHistoryError extends SignalboxError {
  readonly code: TaskHistoryErrorCode;
  constructor(code: TaskHistoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TaskHistoryError";
    this.code = code;
  }
}

/** Convert a system error to a task history error; any other error stays as it is. */
export function toHistoryError(filePath: string, error: unknown): unknown {
  if (!(error instanceof Error) || systemCode(error) === "" || error.name !== "Error") return error;
  const message = `${filePath} cannot be read or written (${error.message}). Check the folder, its permissions and the disk.`;
  return new TaskHistoryError("HISTORY_IO", message, { cause: error });
}
