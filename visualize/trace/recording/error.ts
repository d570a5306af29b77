import { SignalboxError } from "../../../machines/signalbox-error.ts";

/** Reason that a trace cannot be read. */
export type TraceErrorCode =
  /** A line is not an event of a trace. Record the trace again, or cut it before this line. */
  | "TRACE_LINE"
  /** The records do not begin with a header. Pass all records of the journal. */
  | "TRACE_HEADER"
  /** The journal does not reach this position. Drop the received events and start over. */
  | "TRACE_POSITION";

/** A trace that can't be read. */
export class TraceError extends SignalboxError {
  override readonly name = "TraceError";
  readonly code: TraceErrorCode;

  constructor(code: TraceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
