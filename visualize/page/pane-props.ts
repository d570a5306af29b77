import type { TraceReader } from "../trace/moment.ts";

/** The props of every pane. When the trace grows, its reader stays the same object. */
export interface PaneProps {
  readonly trace: TraceReader;
  /** The current event: the newest, if the page follows a live task. */
  readonly at: number;
  /** Go to another event. */
  readonly onGo: (seq: number) => void;
}
