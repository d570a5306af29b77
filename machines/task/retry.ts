import { assertEvent } from "xstate";
import { addFeedback, closeAnsweredAsk, postAsk, receivedFeedback } from "./asks.ts";
import type { Change } from "./change.ts";
import { resetRetries, setCounters } from "./counters.ts";
import type { TaskContext } from "./task.context.ts";
import type { Failure } from "./task.events.ts";

/** Schedules the next attempt: exponential backoff with jitter, never before the endpoint's Retry-After. */
export function scheduleRetry(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.failed");
  const { counters, limits } = change.context;
  const { failure, jitter, at } = event;
  const delay =
    Math.min(limits.retryDelayMaxMs, limits.retryDelayMs * 2 ** counters.retries) * (0.5 + jitter / 2);
  const waitMs = Math.max(failure.retryAfterMs ?? 0, Math.round(delay));
  change.set({ retryAt: at + waitMs });
  setCounters(change, { retries: counters.retries + 1 });
  postDelay(change, formatFailure(failure), waitMs);
}

/** Waits for the rest of a retry delay in a reopened task. */
export function resumeRetryDelay(change: Change): void {
  const waitMs = Math.max(0, change.context.retryAt - change.event.at);
  postDelay(change, "The request is retried when the endpoint allows it.", waitMs);
}

function postDelay(change: Change, reason: string, waitMs: number): void {
  const text = `${reason}\n<retry_timer>${Math.ceil(waitMs / 1000)}</retry_timer>`;
  change.append({ type: "say", say: "api_req_retry_delayed", text });
}

/** The status on a line of its own, then the message without it. */
function formatFailure({ status, message }: Failure): string {
  if (status === undefined) return message;
  return `${status}\n${message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message}`;
}

export const mayRetry = ({ autoRetry, counters, limits }: TaskContext, failure: Failure): boolean =>
  autoRetry &&
  failure.retryable &&
  counters.retries < limits.retries &&
  (failure.retryAfterMs ?? 0) <= limits.retryAfterMaxMs;

export function askAboutFailure(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.failed", "context.failed"]);
  postAsk(change, "api_req_failed", event.type === "llm.failed" ? event.failure.message : event.message);
  resetRetries(change);
}

/** Retries a failed request after the user's answer. */
export function retryManually(change: Change): void {
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  change.append({ type: "say", say: "api_req_retried" });
  if (feedback !== undefined) addFeedback(change, feedback);
}

/** Id of the timer. A late event of an earlier timer has another id and is ignored. */
export const retryTimerId = ({ retryAt }: TaskContext): string => `retry:${retryAt}`;

export function startRetryTimer(change: Change): void {
  const { retryAt } = change.context;
  change.start("timer", "timer", { timerId: retryTimerId(change.context), deadline: retryAt });
}
