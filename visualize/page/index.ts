/** The visual debugger for other people's pages: `signalbox/page`. Its style is `signalbox/page.css`. */
export { type Mounted, type MountOptions, mount } from "./mount.ts";
export type { Breakpoints, PageSource, SetBreakpoints, TaskActions, TraceSink } from "./source.ts";
export {
  type Connection,
  eventsIn,
  type FileSourceOptions,
  fileSource,
  type HttpSourceOptions,
  httpSource,
  SourceError,
  type SourceErrorCode,
} from "./sources/index.ts";
