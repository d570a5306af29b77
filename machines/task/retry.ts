import { assertEvent } from "xstate";
import type { Change } from "./change.ts";
import type { Failure, TaskContext } from "./task.types.ts";

/** Plans the next attempt: exponential, with jitter, never before the endpoint allows it. */
export function scheduleRetry(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.failed");
  const { counters, limits } = change.context;
  const { failure, jitter, at } = event;
  const delay =
    Math.min(limits.retryDelayMaxMs, limits.retryDelayMs * 2 ** counters.retries) * (0.5 + jitter / 2);
  const waitMs = Math.max(failure.retryAfterMs ?? 0, Math.round(delay));
  change.set({ retryAt: at + waitMs, counters: { ...counters, retries: counters.retries + 1 } });
  const text = `${told(failure)}\n<retry_timer>${Math.ceil(waitMs / 1000)}</retry_timer>`;
  change.append({ type: "say", say: "api_req_retry_delayed", text });
}

/** A task that is opened again waits until the endpoint may be asked, as it would have without the interruption. */
export function waitOn(change: Change): void {
  const waitMs = Math.max(0, change.context.retryAt - change.event.at);
  const text = `The request is tried again when the endpoint allows it.\n<retry_timer>${Math.ceil(waitMs / 1000)}</retry_timer>`;
  change.append({ type: "say", say: "api_req_retry_delayed", text });
}

/** The status in a line of its own, and the message without it. */
function told({ status, message }: Failure): string {
  if (status === undefined) return message;
  return `${status}\n${message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message}`;
}

export const mayRetry = (
  { autoRetry, counters, limits }: TaskContext,
  failure: { retryable: boolean; retryAfterMs?: number },
): boolean =>
  autoRetry &&
  failure.retryable &&
  counters.retries < limits.retries &&
  (failure.retryAfterMs ?? 0) <= limits.retryAfterMaxMs;

export function forgetRetries(change: Change): void {
  const { counters } = change.context;
  change.set({ counters: { ...counters, retries: 0 } });
}
