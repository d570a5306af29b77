import { memoized } from "../model/memoized.ts";
import type { TraceIndex } from "../model/trace-index.ts";
import type { Bar } from "./lanes.ts";

/** The bars of each subtask of a task, by the id of the subtask. One that rested has a bar for each time that it worked. */
export const barsOfSubtasks = memoized(({ timeline }): ReadonlyMap<string, readonly Bar[]> => {
  const found = new Map<string, Bar[]>();
  for (const bar of timeline.bars) {
    if (bar.lane !== "subtasks") continue;
    const bars = found.get(bar.subject) ?? [];
    found.set(bar.subject, bars);
    bars.push(bar);
  }
  return found;
});

/** Whether a subtask works for its parent after an event of the parent. */
export const worksAt = (index: TraceIndex, child: string, at: number): boolean =>
  barsOfSubtasks(index)
    .get(child)
    ?.some(({ seq, last }) => seq <= at && (last === undefined || last > at)) ?? false;
