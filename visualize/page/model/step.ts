import type { TraceIndex } from "./trace-index.ts";

/** The ways to go through a trace. */
export type Step = "next" | "back" | "nextState" | "backState" | "first" | "live";

/** The place that a step leads to; undefined is the end, and on with it. */
export function placeAfter(step: Step, index: TraceIndex, at: number): number | undefined {
  const end = index.paths.length - 1;
  switch (step) {
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
