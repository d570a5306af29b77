import type { TraceSnapshot } from "./trace-snapshot.ts";

/** The event that the page shows. */
export interface Place {
  /** The newest event. */
  readonly end: number;
  readonly at: number;
  /** Whether the user chose an event, and it is not the newest. A page that follows its task is never at a past event. */
  readonly isPast: boolean;
}

/** The place in a trace. `chosen`: the event that the user chose; undefined: the newest, whichever it is. */
export function placeIn(trace: TraceSnapshot | undefined, chosen: number | undefined): Place {
  const end = (trace?.length ?? 1) - 1;
  const at = Math.min(chosen ?? end, end);
  return { end, at, isPast: at !== end };
}
