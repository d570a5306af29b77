export { BUILT_PAGE } from "./built-page.ts";
export { TracePageError, type TracePageErrorCode } from "./error.ts";
export { readPageFile } from "./page-file.ts";
export { type TracePageOptions, tracePage } from "./trace-page.ts";
