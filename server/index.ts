export { DEFAULT_SERVER_BOUNDS, type ServerBounds } from "./bounds.ts";
export { ServerError, type ServerErrorCode } from "./error.ts";
export { createServer, fileJournals, type Server, type ServerOptions } from "./server.ts";
export type { ServedTask } from "./tasks/index.ts";
