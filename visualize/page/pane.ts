import type { TraceReader } from "../../trace/index.ts";
import type { TaskActions } from "./source.ts";

/** What every pane is given: the same trace, and the same place in it. */
export interface PaneProps {
  readonly trace: TraceReader;
  /** The place that is shown: of the newest event, where the page follows a live task. */
  readonly at: number;
  /** Another number each time that the trace has grown: the reader itself stays the same object. */
  readonly version: number;
  /** Goes to another place. */
  readonly onGo: (seq: number) => void;
  /** What can be done now: only at the end of a live trace. */
  readonly actions?: TaskActions;
}
