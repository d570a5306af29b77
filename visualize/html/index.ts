export { TracePageError, type TracePageErrorCode } from "./error.ts";
export { type TracePageOptions, tracePage } from "./trace-page.ts";
