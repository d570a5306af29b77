import type { Task } from "signalbox";
import { SUBTASK_UNAVAILABLE } from "../../machines/message/asks.ts";
import { callsIn } from "../../machines/task/turn.ts";

/** Delay before a task with such a subtask is continued for the first time, in ms. It doubles each time. */
const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;

/** Whether a task at rest waits for a subtask that couldn't be opened: another worker owned it, or the database failed. */
export const hasLeftSubtask = ({ hasWork, snapshot: { context } }: Task): boolean =>
  !hasWork && context.pause === null && callsIn(context, "delegated").length > 0;

/** The time at which to continue such a task, in ms since 1970. Undefined for any other. */
export function continuesAt(task: Task, now: number): number | undefined {
  if (!hasLeftSubtask(task)) return undefined;
  const messages = task.log.toArray();
  const request = messages.findLastIndex(({ say }) => say === "api_req_started");
  const tries = messages.slice(request + 1).filter(({ reason }) => reason === SUBTASK_UNAVAILABLE).length;
  return now + Math.min(FIRST_MS * 2 ** Math.max(0, tries - 1), LONGEST_MS);
}
