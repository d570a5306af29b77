import { selectedModel } from "../../machines/task/profile.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Failure, TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature, Moment } from "./feature.ts";
import { answeredRequest, FAILURES, failureOf, sentRequest, USAGE } from "./requests.ts";
import { contentOf, stopReasonsOf } from "./responses.ts";

/** The conversation is condensed: by the user, at the threshold, and when the context window is full. */
export const condensing: Feature = {
  name: "condensing",
  parts: { "context window": ({ view, bounds }) => (bounds.condenses ? windowOf(view.context) : 0) },
  events: (moment) => [
    ...(moment.bounds.condenses ? requested(moment) : []),
    ...(moment.view.state === "streaming.condensing" ? condenseEvents(moment) : []),
    ...(moment.bounds.condenses ? fullWindowEvents(moment) : []),
  ],
};

const TOO_LONG: Failure = { code: "prompt_too_long", message: "too long", retryable: false };
/** The usage of a response at the end of the context window. */
const FULL_USAGE = { ...USAGE, tokensIn: 900 };
/** Tokens that an endpoint counts: far fewer than the threshold of any case. */
const COUNTED = 10;

const requested = ({ at }: Moment): TaskEvent[] => [{ type: "compact.requested", at, instructions: "" }];

function condenseEvents({ view: { context }, at }: Moment): TaskEvent[] {
  const { compaction, log, request: requestId } = context;
  if (requestId === undefined) return [];
  const sent = { at, requestId, usage: USAGE };
  const isStarted = log.at(-1)?.say === "condense_context";
  // Nothing is counted for a full window. The user may ask for a condensation while the endpoint counts.
  const mayBeUnneeded = !isStarted && (compaction?.state !== "requested" || compaction.by === "user");
  return [
    { at, requestId: -1, type: "condense.unneeded", tokens: COUNTED },
    { at, requestId: -1, type: "condense.started" },
    { ...sent, type: "condense.finished", requestId: -1, summary: "late" },
    { at, requestId, type: "condense.started" },
    ...(mayBeUnneeded ? [{ at, requestId, type: "condense.unneeded" as const, tokens: COUNTED }] : []),
    { ...sent, type: "condense.finished", summary: "short" },
    { ...sent, type: "condense.finished", summary: "" },
    ...[...FAILURES, TOO_LONG].map((failure) => condenseFailure(at, requestId, failure)),
  ];
}

/** The failure of a request for a summary. */
export const condenseFailure = (at: number, requestId: number, failure: Failure): TaskEvent => ({
  at,
  requestId,
  usage: USAGE,
  type: "condense.failed",
  failure,
  jitter: 0.5,
});

/** A request that the context window has no room for, and responses that fill it. */
function fullWindowEvents(moment: Moment): TaskEvent[] {
  const { view, at } = moment;
  const sent = sentRequest(view);
  const requestId = answeredRequest(moment);
  const content = contentOf(view.context);
  return [
    ...(sent === undefined ? [] : [failureOf(at, sent, TOO_LONG)]),
    ...(requestId === undefined || content === undefined
      ? []
      : [...stopReasonsOf(view.context), "model_context_window_exceeded" as const].map(
          (stopReason): TaskEvent => ({
            type: "llm.finished",
            at,
            requestId,
            content,
            usage: FULL_USAGE,
            stopReason,
          }),
        )),
  ];
}

/** The facts that a condensation depends on. */
const windowOf = (context: TaskContext) => [
  context.compaction?.state === "requested" ? context.compaction.by : (context.compaction?.state ?? 0),
  context.conversation.length > 3,
  context.contextTokens >=
    (selectedModel(context)?.contextWindow ?? Number.POSITIVE_INFINITY) * context.limits.condenseAt,
];
