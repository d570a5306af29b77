import { z } from "zod";
import "./style/index.css";

// Where a page's policy forbids to make code of text, zod would only be told so.
z.config({ jitless: true });

export { type Mounted, type MountOptions, mount } from "./mount.ts";
export type { PaneProps } from "./pane.ts";
export type { Breakpoints, PageSource, TaskActions, TraceSink } from "./source.ts";
export {
  eventsIn,
  type FileSourceOptions,
  fileSource,
  type HttpSourceOptions,
  httpSource,
  SourceError,
  type SourceErrorCode,
} from "./sources/index.ts";
