import type { TraceSnapshot } from "./model/trace-snapshot.ts";

/** The props of every pane. */
export interface PaneProps {
  readonly trace: TraceSnapshot;
  /** The current event: the newest, if the page follows a live task. */
  readonly at: number;
  /**
   * The time, in milliseconds since 1970, until which everything lasts that is open after the current event: now, if it
   * is the newest event of a task whose process is alive. Otherwise the time of the event.
   */
  readonly until: number;
  /** The sentence that says how the task's process ended while the task worked. Absent: it did not. */
  readonly ended?: string | undefined;
  /** Go to another event. */
  readonly onGo: (seq: number) => void;
}
