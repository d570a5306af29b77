export { TraceError, type TraceErrorCode } from "./error.ts";
export { parseTraceLine, traceJson, traceLines } from "./trace-line.ts";
export { traceOfJournal } from "./trace-of-journal.ts";
