/** Why a task in another process did not do what it was asked to. The table in docs/errors.md says what each means. */
export type RemoteErrorCode = "COMMAND_REFUSED" | "PROCESS_ENDED" | "LINE_INVALID";

/** What the other process refused, or that it is gone. */
export class RemoteError extends Error {
  readonly code: RemoteErrorCode;
  /** Of `COMMAND_REFUSED`: the code that the process gave, such as `task_busy`. */
  readonly reason: string | undefined;
  constructor(code: RemoteErrorCode, message: string, reason?: string) {
    super(message);
    this.name = "RemoteError";
    this.code = code;
    this.reason = reason;
  }
}
