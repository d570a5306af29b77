import type { Change } from "./change.ts";
import type { TaskContext } from "./task.types.ts";
import { callAtCursor } from "./turn.ts";

/** Names the wait that a timer ends, so that a late one is dropped. */
export const reviewTimerId = ({ request }: TaskContext): string => `review:${request}`;
export const retryTimerId = ({ retryAt }: TaskContext): string => `retry:${retryAt}`;

/** Bounds the wait for the first call's review, where there is one to wait for. */
export function awaitReview(change: Change): void {
  if (callAtCursor(change.context)?.phase !== "deciding") return;
  const deadline = change.event.at + change.context.limits.finishingDeadlineMs;
  change.start("timer", "timer", { timerId: reviewTimerId(change.context), deadline });
}

export function awaitRetry(change: Change): void {
  const { retryAt } = change.context;
  change.start("timer", "timer", { timerId: retryTimerId(change.context), deadline: retryAt });
}

export function stopTimer(change: Change): void {
  change.stop("timer", "timer");
}
