import type { TraceIndex } from "./trace-index.ts";

/** The ways to move through a trace. */
export type Navigation = "next" | "back" | "nextState" | "backState" | "first" | "live";

/** The event that a navigation leads to; undefined is the newest, following the trace. */
export function navigate(navigation: Navigation, index: TraceIndex, at: number): number | undefined {
  const end = index.paths.length - 1;
  switch (navigation) {
    case "next":
      return Math.min(end, at + 1);
    case "back":
      return Math.max(0, at - 1);
    case "nextState":
      return index.change(at, 1);
    case "backState":
      return index.change(at, -1);
    case "first":
      return 0;
    case "live":
      return undefined;
  }
}
