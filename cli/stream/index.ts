export { CAPABILITIES } from "./capabilities.ts";
export { linesOf } from "./lines.ts";
export { runStream } from "./run-stream.ts";
export { StreamSession } from "./session.ts";
export { DEFAULT_SESSION_DEADLINES, type SessionDeadlines, type SessionOptions } from "./session-options.ts";
export { StreamPrinter } from "./stream-printer.ts";
