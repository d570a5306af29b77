/** The visual debugger, to embed in a page: `@signalbox/debugger/page`. Its style is `@signalbox/debugger/page.css`. */
export { type Mounted, type MountOptions, mount } from "./mount.ts";
export type { PageSource, TaskActions } from "./source.ts";
export { type FileSourceOptions, fileSource } from "./sources/file-source.ts";
export { type HttpSourceOptions, httpSource } from "./sources/http-source.ts";
export { openFiles } from "./sources/open-files.ts";
export { parseEvents } from "./sources/read-file.ts";
export { SourceError } from "./sources/source-error.ts";
