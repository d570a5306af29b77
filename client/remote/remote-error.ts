import { SignalboxError } from "../../machines/signalbox-error.ts";

/** Reason why a task in another process fails. */
export type RemoteErrorCode =
  /** The process rejected a command; `reason` is its code. Follow the message. */
  | "COMMAND_REFUSED"
  /** The process has ended. Resume its task with `--session-id`. */
  | "PROCESS_ENDED"
  /** The process wrote a line that is not an event. Start it with `REMOTE_ARGUMENTS`. */
  | "LINE_INVALID";

/** A refusal by the other process, or its end. */
export class RemoteError extends SignalboxError {
  readonly code: RemoteErrorCode;
  /** The code that the process gave with `COMMAND_REFUSED`, such as `task_busy`. */
  readonly reason: string | undefined;
  constructor(code: RemoteErrorCode, message: string, reason?: string) {
    super(message);
    this.name = "RemoteError";
    this.code = code;
    this.reason = reason;
  }
}
