export { TraceError, type TraceErrorCode } from "./error.ts";
export { formatTraceEvent, parseTraceLine, traceLines } from "./trace-line.ts";
export { traceOfJournal } from "./trace-of-journal.ts";
