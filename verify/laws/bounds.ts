import type { TaskContext } from "../../machines/task/index.ts";
import { appendedIn, startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** Each bounded count, and its limit. */
const COUNTS: readonly (readonly [
  string,
  (context: TaskContext) => number,
  (context: TaskContext) => number,
])[] = [
  ["queued", ({ queue }) => queue.length, ({ limits }) => limits.queued],
  [
    "calls",
    ({ turn }) => turn.calls.filter(({ phase }) => phase !== "settled").length,
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
  const { event, before } = step;
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
  return event.type === "llm.tool.start" ? wronglyLetIn(step, event.callId) : undefined;
}

/** An answer's calls behind the limit are refused at once, in words: also where those before have settled. */
function wronglyLetIn({ before, after }: Step, callId: string): string | undefined {
  const { turn, limits } = after.context;
  if (before.context.turn.calls.some((call) => call.callId === callId)) return undefined;
  const place = turn.calls.findIndex((call) => call.callId === callId);
  const call = turn.calls[place];
  if (call === undefined || place < limits.calls) return undefined;
  if (call.phase !== "settled")
    return `calls: ${callId} was let in beyond the limit of ${limits.calls}, and is ${call.phase}`;
  return call.notice === undefined ? `calls: ${callId} was refused in silence` : undefined;
}

/** L14: no count exceeds its limit, and reaching one is an ask or an error. */
export const bounds: Law = {
  id: "L14",
  title: "no count exceeds its limit, and reaching one is said",
  violation: firstViolation(withinLimits, requestsAreAllowed, reachingIsSaid),
};
