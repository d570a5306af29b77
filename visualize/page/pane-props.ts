import type { TraceReader } from "../../trace/index.ts";
import type { TaskActions } from "./source.ts";

/** The props of every pane: a trace and the current event. */
export interface PaneProps {
  readonly trace: TraceReader;
  /** The current event: the newest, if the page follows a live task. */
  readonly at: number;
  /** Changes when the trace has grown; the reader stays the same object. */
  readonly version: number;
  /** Go to another event. */
  readonly onGo: (seq: number) => void;
  /** The actions on the task: only at the end of a live trace. */
  readonly actions?: TaskActions;
}
