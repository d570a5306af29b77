import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";

/** Time until the next request may start. A clock that was set back lengthens no wait beyond the limit. */
const waitMsAt = (at: number, { requestedAt, limits: { rateLimitMs } }: TaskContext): number =>
  requestedAt === 0 ? 0 : Math.min(rateLimitMs, requestedAt + rateLimitMs - at);

/** Whether less than `limits.rateLimitMs` has passed since the newest request started. */
export const isPaced = (context: TaskContext, at: number): boolean => waitMsAt(at, context) > 0;

/** Records the start of a request, where the next one waits for it. */
export function recordStart(change: Change): void {
  if (change.context.limits.rateLimitMs > 0) change.set({ requestedAt: change.event.at });
}

export function postRateLimit(change: Change): void {
  const { limits } = change.context;
  const reason = `Requests start at least ${limits.rateLimitMs} ms apart (the limit \`rateLimitMs\`).`;
  postDelay(change, "api_req_rate_limit_wait", reason, waitMsAt(change.event.at, change.context));
}

/** Id of the timer. A late event of an earlier timer has another id and is ignored. */
export const rateLimitTimerId = ({ requestedAt }: TaskContext): string => `rate:${requestedAt}`;

export function startRateLimitTimer(change: Change): void {
  const deadline = change.event.at + waitMsAt(change.event.at, change.context);
  change.start("timer", "timer", { timerId: rateLimitTimerId(change.context), deadline });
}

/** Ends the wait, whatever the clock says: it ends once. */
export function endRateLimit(change: Change): void {
  change.set({ requestedAt: 0 });
}

/** Appends why the next request waits, and how long. */
export function postDelay(
  change: Change,
  say: "api_req_retry_delayed" | "api_req_rate_limit_wait",
  reason: string,
  waitMs: number,
): void {
  const text = `${reason}\n<retry_timer>${Math.ceil(waitMs / 1000)}</retry_timer>`;
  change.append({ type: "say", say, text });
}
