export { openAsks } from "./card.ts";
export type { Connection } from "./event-stream.ts";
export { type FileSourceOptions, fileSource } from "./file-source.ts";
export { type HttpSourceOptions, httpSource } from "./http-source.ts";
export { eventsIn } from "./read-file.ts";
export { enterSession } from "./session.ts";
export { SourceError, type SourceErrorCode } from "./source-error.ts";
