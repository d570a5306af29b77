/** Why a host or a task did not do what it was asked to. The table in docs/errors.md says what each means. */
export type HostErrorCode =
  | "OPTION_INVALID"
  | "TASK_EXISTS"
  | "TASK_UNKNOWN"
  | "TASK_DAMAGED"
  | "TASK_BUSY"
  | "TASK_CLOSED"
  | "TASK_BROKEN"
  | "HOST_CLOSED";

/** What a host or a task can't do for its caller. The message says what was expected, what came and what to do. */
export class HostError extends Error {
  readonly code: HostErrorCode;
  constructor(code: HostErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HostError";
    this.code = code;
  }
}
