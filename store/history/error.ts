/** Why a task on disk could not be found or changed. The table in docs/errors.md says what each means. */
export type TaskHistoryErrorCode =
  | "TASK_UNKNOWN"
  | "TASK_AMBIGUOUS"
  | "TASK_EXISTS"
  | "ID_INVALID"
  | "NAME_INVALID"
  | "FORK_INVALID"
  | "HISTORY_IO";

/** What the tasks on disk can't do for their caller. The message says what was expected, what came and what to do. */
export class TaskHistoryError extends Error {
  readonly code: TaskHistoryErrorCode;
  constructor(code: TaskHistoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TaskHistoryError";
    this.code = code;
  }
}

/** What the system said of a place, in the words of a history. What is no word of the system stays as it is. */
export function toHistoryError(place: string, error: unknown): unknown {
  if (!(error instanceof Error) || systemCode(error) === "" || error.name !== "Error") return error;
  const message = `${place}: it can't be read or written (${error.message}). Check the folder, its rights and the disk.`;
  return new TaskHistoryError("HISTORY_IO", message, { cause: error });
}

/** The system's name of an error (`ENOENT`), or "". */
export const systemCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
