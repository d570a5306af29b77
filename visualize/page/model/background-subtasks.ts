import type { BackgroundSubtask } from "../../../machines/task/task.events.ts";
import { worksAt } from "../timeline/subtask-bars.ts";
import type { TraceIndex } from "./trace-index.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/** The subtasks in the background after an event whose ends the model does not know yet. A call of theirs has its result. */
export const backgroundSubtasks = (trace: TraceSnapshot, at: number): readonly BackgroundSubtask[] =>
  trace.moment(at).memory.facts.backgroundSubtasks ?? [];

/** Whether a subtask is in the background of its parent, and has not ended, after an event of the parent. */
export const isInBackground = (parent: TraceSnapshot, id: string, at = parent.length - 1): boolean =>
  backgroundSubtasks(parent, at).some(({ childId, end }) => childId === id && end === undefined);

/** Whether the subtask of a call works after an event, although the call has its result. */
export function worksInBackground(index: TraceIndex, callId: string, at: number): boolean {
  const isSettled = (index.outcomes.get(callId)?.seq ?? Number.POSITIVE_INFINITY) <= at;
  const child = isSettled ? childOf(index, callId) : undefined;
  return child !== undefined && worksAt(index, child, at);
}

/** The id of the subtask that a call started. */
export function childOf({ turns }: TraceIndex, callId: string): string | undefined {
  for (const { calls } of turns) {
    const child = calls.find((call) => call.callId === callId)?.child;
    if (child !== undefined) return child;
  }
  return undefined;
}
