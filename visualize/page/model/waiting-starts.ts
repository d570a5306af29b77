import { barsOfSubtasks } from "../timeline/subtask-bars.ts";
import { lastUntil } from "./search-sorted.ts";
import type { TraceIndex } from "./trace-index.ts";

/** The tool whose calls start subtasks. */
const STARTS = "new_task";

/** The words for such a call. */
export const WAITS_FOR_TURN = "waits for its turn";

/** The ids of the calls that are permitted to start a subtask, and have not started it at event `at`: others work first. */
export function waitingStarts(index: TraceIndex, at: number): readonly string[] {
  const turn = index.turns[lastUntil(index.turns, at, ({ seq }) => seq)];
  return (turn?.calls ?? []).flatMap(({ callId, child }) => {
    const isPermitted = (index.permissions.get(callId)?.seq ?? Number.POSITIVE_INFINITY) <= at;
    const isOver = (index.outcomes.get(callId)?.seq ?? Number.POSITIVE_INFINITY) <= at;
    const waits = index.toolNames.get(callId) === STARTS && isPermitted && !isOver;
    return waits && !hasStarted(child, index, at) ? [callId] : [];
  });
}

function hasStarted(child: string | undefined, index: TraceIndex, at: number): boolean {
  if (child === undefined) return false;
  const bar = barsOfSubtasks(index).get(child)?.[0];
  return bar === undefined || bar.seq <= at;
}
