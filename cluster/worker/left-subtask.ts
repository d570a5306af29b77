import type { Task } from "signalbox";
import { SUBTASK_UNAVAILABLE } from "../../machines/message/asks.ts";
import { callsIn } from "../../machines/task/turn.ts";

/** Delay before a task with such a subtask is continued for the first time, in ms. It doubles each time. */
const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;

/** Whether a task at rest waits for a subtask that couldn't be opened: another worker owned it, or the database failed. */
export function hasLeftSubtask(task: Task): boolean {
  if (task.hasWork) return false;
  const { context } = task.snapshot;
  return context.pause === null && callsIn(context, "delegated").length > 0;
}

/** The time at which to continue such a task, in ms since 1970. Undefined for any other. */
export function continuesAt(task: Task, now: number): number | undefined {
  if (!hasLeftSubtask(task)) return undefined;
  return now + Math.min(FIRST_MS * 2 ** Math.max(0, triesOf(task) - 1), LONGEST_MS);
}

/** The rests since the newest request. */
function triesOf({ log }: Task): number {
  let tries = 0;
  for (let position = log.length - 1; log.at(position)?.say !== "api_req_started"; position -= 1) {
    if (position < 0) return tries;
    if (log.at(position)?.reason === SUBTASK_UNAVAILABLE) tries += 1;
  }
  return tries;
}
