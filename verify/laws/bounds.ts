import type { TaskContext } from "../../machines/task/index.ts";
import { appendedIn, startedIn } from "./changes.ts";
import { firstOf, type Law, type Step } from "./law.ts";

/** Each bounded count, and its limit. */
const COUNTS: readonly (readonly [
  string,
  (context: TaskContext) => number,
  (context: TaskContext) => number,
])[] = [
  ["queued", ({ queue }) => queue.length, ({ limits }) => limits.queued],
  // Behind the limit a call is refused at once: one that isn't settled was let in, with all before it.
  [
    "calls",
    ({ turn }) => turn.calls.findLastIndex(({ phase }) => phase !== "settled") + 1,
    ({ limits }) => limits.calls,
  ],
  [
    "parallelReads",
    ({ turn }) => turn.calls.filter(({ phase }) => phase === "running").length,
    ({ limits }) => Math.max(1, limits.parallelReads),
  ],
  ["background", ({ background }) => background.length, ({ limits }) => limits.background],
  ["retries", ({ counters }) => counters.retries, ({ limits }) => limits.retries],
  ["pauses", ({ counters }) => counters.pauses, ({ limits }) => limits.pauses],
];

function withinLimits({ after: { context } }: Step): string | undefined {
  for (const [name, count, limit] of COUNTS) {
    if (count(context) > limit(context)) return `${name}: ${count(context)} of ${limit(context)}`;
  }
  return undefined;
}

/** No request is opened beyond what was allowed; what stops it is an ask. */
function requestsAreAllowed(step: Step): string | undefined {
  if (startedIn(step, "context").length === 0) return undefined;
  const { counters, limits } = step.after.context;
  if (counters.requests > limits.requests)
    return `request ${counters.requests} of ${limits.requests} was opened`;
  if (counters.cost >= limits.cost)
    return `a request was opened at ${counters.cost} of ${limits.cost} dollars`;
  return limits.mistakes > 0 && counters.mistakes >= limits.mistakes
    ? `a request was opened after ${counters.mistakes} mistakes of ${limits.mistakes}`
    : undefined;
}

/** Reaching a limit is said in a row. */
function reachingIsSaid(step: Step): string | undefined {
  const { event, before, after } = step;
  const { limits, turn, counters } = before.context;
  const rows = appendedIn(step);
  if (event.type === "llm.finished" && event.stopReason === "pause_turn" && turn.calls.length === 0) {
    const said = rows.some(({ say, text }) => say === "error" && text?.includes("`pauses`"));
    if (counters.pauses >= limits.pauses && !said)
      return `pauses: the limit of ${limits.pauses} was reached in silence`;
  }
  if (event.type === "llm.failed" && before.context.request === event.requestId) {
    const said = rows.some(({ ask, say }) => ask === "api_req_failed" || say === "api_req_retry_delayed");
    if (!said) return "a failed request was neither retried nor asked about";
  }
  if (event.type !== "llm.tool.start") return undefined;
  const unsaid = after.context.turn.calls.find(
    (call, index) =>
      index >= limits.calls &&
      call.callId === event.callId &&
      call.phase === "settled" &&
      call.notice === undefined,
  );
  return unsaid === undefined ? undefined : `calls: ${unsaid.callId} was refused in silence`;
}

/** L14: no count exceeds its limit, and reaching one is an ask or an error. */
export const bounds: Law = {
  id: "L14",
  title: "no count exceeds its limit, and reaching one is said",
  violation: firstOf(withinLimits, requestsAreAllowed, reachingIsSaid),
};
