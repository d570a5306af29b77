import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Failure, TaskEvent } from "../../machines/task/task.events.ts";
import { counted } from "../bounds.ts";
import type { View } from "../laws/law.ts";
import type { Feature, Moment } from "./feature.ts";

/** A request that was sent to the model fails. */
export const requests: Feature = {
  name: "requests",
  parts: {
    request: ({ view: { context } }) => (context.request === undefined ? 0 : 1),
    counters: ({ view: { context } }) => countersOf(context),
    "requests spent": ({ spent, bounds }) => counted(spent.requests, bounds.turns),
  },
  events: ({ view, at }) => {
    const requestId = sentRequest(view);
    return requestId === undefined ? [] : FAILURES.map((failure) => failureOf(at, requestId, failure));
  },
};

export const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0.01 };
export const FAILURES: readonly Failure[] = [
  { code: "overloaded_error", message: "busy", retryable: true },
  { code: "invalid_request_error", message: "bad", retryable: false },
];

/** The id of the open request, once its context is prepared and the conversation is condensed. */
export const sentRequest = ({ state, context }: View): number | undefined =>
  state === "streaming.preparing" || state === "streaming.condensing" ? undefined : context.request;

/** The id of the open request, if it may have a response within the bounds. */
export const answeredRequest = ({ view, spent, bounds }: Moment): number | undefined =>
  bounds.turns === "any" || spent.requests <= bounds.turns ? sentRequest(view) : undefined;

export const failureOf = (at: number, requestId: number, failure: Failure): TaskEvent => ({
  type: "llm.failed",
  at,
  requestId,
  failure,
  usage: USAGE,
  jitter: 0.5,
});

/**
 * Counters of the abstraction: mistakes up to their limit; responses without a tool up to the first, since the second
 * is a mistake. A response with a call resets these and the pauses, so they are left out there. Requests count only
 * near their limit: otherwise every failed attempt would be a new state.
 */
function countersOf({ counters, limits, turn }: TaskContext) {
  const { mistakes, noToolUses, retries, pauses } = counters;
  const withoutTool = turn.calls.length > 0 ? [] : [Math.min(noToolUses, 1), pauses];
  const requests = limits.requests < 10 ? counters.requests : 0;
  return [Math.min(mistakes, limits.mistakes), retries, requests, ...withoutTool];
}
