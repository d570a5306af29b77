import { SignalboxError } from "../../machines/signalbox-error.ts";

/** Reason why a host or task rejects an operation. */
export type HostErrorCode =
  /** An option, limit, prompt or image is not valid. Pass what the message names. */
  | "OPTION_INVALID"
  /** A task with this id is open in this host. Use that task, or choose another id. */
  | "TASK_EXISTS"
  /** The data folder has no journal with this id and a whole header. Check the id and the data folder. */
  | "TASK_UNKNOWN"
  /** The journal is damaged before its end. Fork at the record that the message names, or restore the file. */
  | "TASK_DAMAGED"
  /** The task is a session of another agent: it can be read only. Give its text to a new task. */
  | "TASK_READ_ONLY"
  | "ANSWER_REFUSED"
  /** The task works or its ask takes no text. Wait, answer the ask, cancel, or queue the message. */
  | "TASK_BUSY"
  /** The task was closed. Open it again. */
  | "TASK_CLOSED"
  /** The task cannot continue in this process; see `cause`. Report it with the journal, then open the task again. */
  | "TASK_BROKEN"
  /** The host was closed. Create a new host. */
  | "HOST_CLOSED";

/** An operation that a host or a task rejects. */
export class HostError extends SignalboxError {
  readonly code: HostErrorCode;
  constructor(code: HostErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HostError";
    this.code = code;
  }
}
