import { appendedMessages, startedIds } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** Requests start at least `limits.rateLimitMs` apart, unless the clock was set back. */
function requestsAreApart(step: Step): string | undefined {
  const { before, event, after } = step;
  const { requestedAt, limits } = before.context;
  if (limits.rateLimitMs === 0 || startedIds(step, "context").length === 0) return undefined;
  if (after.context.requestedAt !== event.at) return "rateLimitMs: the start of the request is not kept";
  const passedMs = event.at - requestedAt;
  return requestedAt > 0 && passedMs >= 0 && passedMs < limits.rateLimitMs
    ? `rateLimitMs: a request was opened ${passedMs} ms after the last`
    : undefined;
}

/** A wait is reported as it starts. */
function waitIsReported(step: Step): string | undefined {
  if (step.after.state !== "running.pacing" || step.before.state === "running.pacing") return undefined;
  return appendedMessages(step).at(-1)?.say === "api_req_rate_limit_wait"
    ? undefined
    : "rateLimitMs: the request waits without a message";
}

/** L14: requests start at least the time of the limit apart, and a wait is reported. */
export const rateLimit: Law = {
  id: "L14",
  title: "requests start at least rateLimitMs apart, and a wait is reported",
  violation: firstViolation(requestsAreApart, waitIsReported),
};
