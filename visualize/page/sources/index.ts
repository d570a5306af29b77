export { type FileSourceOptions, fileSource } from "./file-source.ts";
export { type Connection, type HttpSourceOptions, httpSource } from "./http-source.ts";
export { parseEvents } from "./read-file.ts";
export { startSession } from "./session.ts";
export { SourceError, type SourceErrorCode } from "./source-error.ts";
export { openAsks } from "./task-info.ts";
