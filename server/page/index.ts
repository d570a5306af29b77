export { BUILT_PAGE, TracePageError, type TracePageErrorCode } from "./built-page.ts";
export { readPageFile } from "./page-file.ts";
export { type TracePageOptions, tracePage } from "./trace-page.ts";
