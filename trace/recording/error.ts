/**
 * `TRACE_LINE`: a line is no event of a trace; `TRACE_HEADER`: the records begin with no header; `TRACE_POSITION`: the
 * journal does not reach the place that a reader named.
 */
export type TraceErrorCode = "TRACE_LINE" | "TRACE_HEADER" | "TRACE_POSITION";

/** A recording can't be read. The message says where, what was expected and what came. */
export class TraceError extends Error {
  override readonly name = "TraceError";
  readonly code: TraceErrorCode;

  constructor(code: TraceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
