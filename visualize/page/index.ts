/** The visual debugger, to embed in a page: `signalbox/page`. Its style is `signalbox/page.css`. */
export { type Mounted, type MountOptions, mount } from "./mount.ts";
export type { Breakpoints, PageSource, SetBreakpoints, TaskActions, TraceSink } from "./source.ts";
export {
  type Connection,
  type FileSourceOptions,
  fileSource,
  type HttpSourceOptions,
  httpSource,
  parseEvents,
  SourceError,
  type SourceErrorCode,
} from "./sources/index.ts";
