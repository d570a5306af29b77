import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature, Moment } from "./feature.ts";

/** The task waits: for a retry, for the rate limit, for the delivery of a queued message, and for late reviews. */
export const timers: Feature = {
  name: "timers",
  parts: {
    retry: ({ view: { context } }) => context.retryAt > 0,
    "rate limit": ({ view: { context } }) => isPaced(context),
  },
  events: (moment) => [{ type: "timer.fired", at: moment.at, timerId: "gone" }, ...dueTimers(moment)],
  // The wait for the next request is over when the task is opened again.
  crashes: ({ view: { recorded }, at }) => {
    const { retryAt = 0, requestedAt = 0 } = recorded.facts;
    return retryAt > 0 || requestedAt > 0 ? [{ at: at + LONG_AFTER_MS }] : [];
  },
};

const LONG_AFTER_MS = 10_000_000;

/** Whether a request waits for the rate limit at the time of the next event. */
const isPaced = ({ requestedAt, limits, log }: TaskContext): boolean =>
  requestedAt > 0 && requestedAt + limits.rateLimitMs > (log.at(-1)?.ts ?? 0) + 1;

function dueTimers({ view: { state, context }, at }: Moment): TaskEvent[] {
  const fired = (timerId: string, due = at): TaskEvent[] => [{ type: "timer.fired", at: due, timerId }];
  const { requestedAt, limits } = context;
  switch (state) {
    case "running.retrying":
      return fired(`retry:${context.retryAt}`);
    case "running.pacing":
      return fired(`rate:${requestedAt}`, Math.max(at, requestedAt + limits.rateLimitMs));
    case "idle.delivering":
      return fired(`queue:${context.ask?.id}`);
    case "streaming.finishing":
      return fired(`review:${context.request}`);
    default:
      return [];
  }
}
