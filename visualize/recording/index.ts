export { TraceError, type TraceErrorCode } from "./error.ts";
export { DEFAULT_TRACE_BOUND, type LiveTraceOptions, liveTrace } from "./live-trace.ts";
export { parseTraceLine, traceLines } from "./trace-line.ts";
export { traceOfJournal } from "./trace-of-journal.ts";
