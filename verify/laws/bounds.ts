import { entriesWithImages } from "../../machines/conversation/images.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { appendedMessages, startedIds } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** Bounded counts: name, count, limit. */
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

/** No request is opened beyond the limits of requests, cost and mistakes. */
function requestsAreAllowed(step: Step): string | undefined {
  if (startedIds(step, "context").length === 0) return undefined;
  const { counters, limits } = step.after.context;
  if (counters.requests > limits.requests)
    return `request ${counters.requests} of ${limits.requests} was opened`;
  if (counters.cost === null && limits.cost < Number.MAX_VALUE)
    return `a request was opened at an unknown cost of ${limits.cost} dollars`;
  if (counters.cost !== null && counters.cost >= limits.cost)
    return `a request was opened at ${counters.cost} of ${limits.cost} dollars`;
  return limits.mistakes > 0 && counters.mistakes >= limits.mistakes
    ? `a request was opened after ${counters.mistakes} mistakes of ${limits.mistakes}`
    : undefined;
}

const FAILURE_SAYS: ReadonlySet<string> = new Set(["api_req_retry_delayed", "condense_context_error"]);

const isFailure = (
  event: TaskEvent,
): event is Extract<TaskEvent, { type: "llm.failed" | "condense.failed" }> =>
  event.type === "llm.failed" || event.type === "condense.failed";

/** A request that is too long is condensed once: another condensation needs a response first. */
const isCondensedNext = ({ before, after }: Step): boolean =>
  before.context.compaction?.state !== "applied" && after.context.compaction?.state === "requested";

/** A request with an image that is refused is sent again without images: only if it had one. */
const losesImages = ({ before, after }: Step): boolean =>
  entriesWithImages(before.context.conversation) > 0 && entriesWithImages(after.context.conversation) === 0;

/** Reaching a limit appends a message. */
function reachedLimitIsReported(step: Step): string | undefined {
  const { event, before } = step;
  const { limits, turn, counters } = before.context;
  const messages = appendedMessages(step);
  if (event.type === "llm.finished" && event.stopReason === "pause_turn" && turn.calls.length === 0) {
    const isReported = messages.some(({ say, text }) => say === "error" && text?.includes("`pauses`"));
    if (counters.pauses >= limits.pauses && !isReported)
      return `pauses: the limit of ${limits.pauses} was reached without a message`;
  }
  if (isFailure(event) && before.context.request === event.requestId) {
    const isReported = messages.some(
      ({ ask, say }) => ask === "api_req_failed" || FAILURE_SAYS.has(say ?? ""),
    );
    if (!isReported && !isCondensedNext(step) && !losesImages(step))
      return "a failed request was neither retried, condensed nor asked about";
  }
  return event.type === "llm.tool.start" ? wronglyAccepted(step, event.callId) : undefined;
}

/** Calls of a response beyond the limit are rejected at once with a notice, even if the others settled. */
function wronglyAccepted({ before, after }: Step, callId: string): string | undefined {
  const { turn, limits } = after.context;
  if (before.context.turn.calls.some((call) => call.callId === callId)) return undefined;
  const position = turn.calls.findIndex((call) => call.callId === callId);
  const call = turn.calls[position];
  if (call === undefined || position < limits.calls) return undefined;
  if (call.phase !== "settled")
    return `calls: ${callId} was accepted beyond the limit of ${limits.calls} and is ${call.phase}`;
  return call.notice === undefined ? `calls: ${callId} was rejected without a notice` : undefined;
}

/** L14: no count exceeds its limit, and reaching one is an ask or an error message. */
export const bounds: Law = {
  id: "L14",
  title: "no count exceeds its limit, and reaching one is reported",
  violation: firstViolation(withinLimits, requestsAreAllowed, reachedLimitIsReported),
};
