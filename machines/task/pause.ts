import { PAUSED } from "../message/asks.ts";
import { postAsk } from "./asks.ts";
import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";
import { callsIn } from "./turn.ts";

/** Whether the task rests before its next request, as a person asked. */
export const isPausing = ({ pause }: TaskContext): boolean => pause === "asked";

/** A person asks for a pause: the task finishes its turn first, so that nothing is lost. */
export function askToPause(change: Change): void {
  change.set({ pause: "asked" });
}

/** Shows that the task waits for its reads before it rests: the call beside them was rejected. */
export function showReads(change: Change): void {
  for (const { callId } of callsIn(change.context, "running"))
    change.append({ type: "say", say: "tool", callId });
}

/** The task rests where it is: nothing runs, and each call has its result or a subtask that rests as well. */
export function pause(change: Change): void {
  change.set({ pause: "resting" });
  postAsk(change, "resume_task", "", { reason: PAUSED });
}

/** A pause that was asked for is over once the task rests for another reason. */
export function dropPause(change: Change): void {
  if (isPausing(change.context)) change.set({ pause: null });
}

/** Ends the pause of a task at rest. Returns whether it was paused: nothing was interrupted. */
export function endPause(change: Change): boolean {
  if (change.context.pause === null) return false;
  change.set({ pause: null });
  return true;
}
