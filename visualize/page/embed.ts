import "./no-eval.ts";
import "./style/index.css";

export { type Mounted, type MountOptions, mount } from "./mount.ts";
export type { Breakpoints, PageSource, SetBreakpoints, TaskActions, TraceSink } from "./source.ts";
export type { Connection } from "./sources/connection.ts";
export { type FileSourceOptions, fileSource } from "./sources/file-source.ts";
export { type HttpSourceOptions, httpSource } from "./sources/http-source.ts";
export { openFiles } from "./sources/open-files.ts";
export { parseEvents } from "./sources/read-file.ts";
export { SourceError, type SourceErrorCode } from "./sources/source-error.ts";
