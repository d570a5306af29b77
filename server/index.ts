/** Tasks over HTTP, and the visual debugger as a page. */
export type { ServerBounds } from "./bounds.ts";
export { ServerError } from "./error.ts";
export { createHandler, type HandlerOptions } from "./mounted-handler.ts";
export { TracePageError } from "./page/built-page.ts";
export { type TracePageOptions, tracePage } from "./page/trace-page.ts";
export { createServer, fileJournals, type Server, type ServerOptions } from "./server.ts";
export type { ServedTask } from "./tasks/task-commands.ts";
