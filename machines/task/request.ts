import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { assertConversation } from "../conversation/conversation-error.ts";
import type { UserBlock } from "../conversation/entry.ts";
import { namesMode } from "../conversation/environment.ts";
import { interrupted, resumed, uncertain } from "../conversation/notices.ts";
import { pairResults } from "../conversation/pairing.ts";
import { isOfOtherModel, leftOutOf, sentConversation } from "../conversation/sent.ts";
import type { EndError } from "../message/end-error.ts";
import { closedRequestText, openRequestText } from "../message/request.ts";
import type { Outcome } from "../tool-call/call.ts";
import { withFeedback } from "../tool-call/feedback.ts";
import { addFeedback, closeAnsweredAsk, postAsk, receivedFeedback } from "./asks.ts";
import { joinSubtasks } from "./background-subtasks.ts";
import { spendCost, spendRequest } from "./budget.ts";
import type { Change } from "./change.ts";
import { allowCompaction } from "./compaction.ts";
import { addEntry, stubbedConversation } from "./context-tokens.ts";
import { resetRetries, setCounters } from "./counters.ts";
import { BrokenInvariantError } from "./errors.ts";
import { recordedOutcome, requestDenial } from "./hook-points.ts";
import { actorIntent } from "./intent.ts";
import type { TaskLimits } from "./limits.ts";
import { mentioningTexts } from "./mentions.ts";
import { modeFact, requestMode } from "./mode.ts";
import { recordModel } from "./model.ts";
import { postDelay, recordStart } from "./pacing.ts";
import {
  hasFallback,
  profileInUse,
  requestProfile,
  selectedModel,
  selectedProfile,
  selectFallback,
} from "./profile.ts";
import { drainQueue } from "./queue.ts";
import type { TaskContext } from "./task.context.ts";
import type { EffectResult, Failure, TaskEvent, Usage } from "./task.events.ts";
import { callsIn, endTurn } from "./turn.ts";

/** Part of each request's message, when it is opened and when it is closed. */
export const API_PROTOCOL = "anthropic";

/** Tells the ends of subtasks, drains the queue, records the model and opens a request: one message for every attempt (L4). */
export function openRequest(change: Change): void {
  joinSubtasks(change);
  drainQueue(change);
  recordModel(change);
  const request = change.append({
    type: "say",
    say: "api_req_started",
    text: openRequestText({ apiProtocol: API_PROTOCOL }),
  });
  const { counters, retryAt } = change.context;
  const requestModel = { profile: profileInUse(change.context), model: selectedModel(change.context) };
  change.set({
    request,
    requestModel,
    requestMode: change.context.mode,
    usage: NO_USAGE,
    condenseUsage: NO_USAGE,
  });
  recordStart(change);
  setCounters(change, { requests: counters.requests + 1 });
  spendRequest(change);
  if (retryAt > 0) change.set({ retryAt: 0 });
}

export function recordUsage(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.usage");
  change.set({ usage: event.usage });
}

/** Closes the open request's message with its cost and, after a failure, the reason (L4). */
export function closeRequest(change: Change): void {
  const { event } = change;
  const { request } = change.context;
  if (request === undefined) return;
  if (event.type === "llm.failed" || event.type === "condense.failed" || event.type === "response.judged")
    change.set({ usage: event.usage });
  const { total, counters, condenseUsage } = change.context;
  const usage = addUsage(condenseUsage, change.context.usage);
  const text = closedRequestText({ apiProtocol: API_PROTOCOL, ...usage, ...cancelReason(change) });
  change.amend(request, { text });
  // With the mode, the end of a journal summarizes the task.
  change.set({
    request: undefined,
    requestModel: undefined,
    requestMode: undefined,
    total: addUsage(total, usage),
    ...modeFact(change.context),
  });
  setCounters(change, { cost: addCost(counters.cost, usage.cost) });
  spendCost(change, usage.cost);
}

function cancelReason({ event }: Change) {
  if (event.type === "task.cancel") return { cancelReason: "user_cancelled" } as const;
  const failed = (streamingFailedMessage: string) =>
    ({ cancelReason: "streaming_failed", streamingFailedMessage }) as const;
  if (event.type === "llm.failed" || event.type === "condense.failed") return failed(event.failure.message);
  if (event.type === "request.hooked") return failed(requestDenial(event.verdict));
  if (event.type === "context.failed" || event.type === "journal.failed") return failed(event.message);
  return {};
}

export function startContext(change: Change): void {
  const { request, conversation, pending, background, total, contextTokens, requestModel } = change.context;
  if (request === undefined) return;
  const stopped = callsIn(change.context, "stopped").map(({ callId }) => callId);
  const done = callsIn(change.context, "settled").filter(({ outcome }) => outcome.kind === "done");
  change.set({ prepared: undefined });
  change.start("context", "context", {
    requestId: request,
    spoken: pending.length > 0,
    said: mentioningTexts(change.context),
    conversation,
    stopped,
    done: done.map(({ toolUseId }) => toolUseId),
    background,
    mode: requestMode(change.context),
    cost: total.cost,
    contextTokens,
    contextWindow: requestModel?.model?.contextWindow,
  });
}

/** Stores the context of the request. Reads that still run are awaited. */
export function applyContext(change: Change): void {
  const { event } = change;
  assertEvent(event, "context.ready");
  const { environment, ends, attached = [] } = event;
  change.set({ prepared: { environment, ends, attached } });
}

/**
 * Builds the conversation of the request: the turn's tool results in source order, the pending content, what the user
 * mentions, the environment. A retry adds nothing but the environment in another mode. Another model does not continue a paused turn. The independent
 * checker validates what is sent of it (L6).
 */
export function buildConversation(change: Change): void {
  const { conversation, pending, mentions, turn, prepared, requestModel } = change.context;
  if (prepared === undefined) throw new BrokenInvariantError("a request is built from no context");
  const last = conversation.at(-1);
  const results: readonly UserBlock[] =
    last?.role === "assistant"
      ? pairResults(last.content, outcomesOf(change.context, prepared.ends), interrupted())
      : [];
  reportUncertainCalls(change, prepared.ends);
  const added = [...results, ...pending, ...prepared.attached];
  const isPaused = last?.role === "assistant" && turn.stopReason === "pause_turn";
  const isContinuation = isPaused && !isOfOtherModel(last, requestModel?.model);
  const isRetry = last?.role === "user" && !namesMode(prepared.environment);
  if (added.length > 0 || !(isContinuation || isRetry))
    addEntry(change, { role: "user", content: [...added, ...environmentOf(prepared.environment, added)] });
  reportLeftOut(change, conversation);
  endTurn(change);
  change.set({ pending: [], prepared: undefined, ...(mentions.length > 0 && { mentions: [] }) });
  assertConversation(historyOf(change.context), { mayEndWithAssistant: isContinuation });
}

/** The environment block; none for a task without a workspace, whose message must still have content. */
function environmentOf(environment: string, added: readonly UserBlock[]): readonly UserBlock[] {
  if (environment !== "") return [textBlock(environment)];
  return added.length > 0 ? [] : [textBlock(resumed())];
}

/** @throws ConversationError if the model's API would reject the conversation (L6) */
export function assertSendable(context: TaskContext): void {
  const mayEndWithAssistant = context.conversation.at(-1)?.role === "assistant";
  assertConversation(historyOf(context), { mayEndWithAssistant });
}

/** The conversation as the model of the open request gets it. */
export const historyOf = (context: TaskContext): Conversation =>
  sentConversation(stubbedConversation(context), context.requestModel?.model);

/** Tells the user which blocks are not sent again: uses of server tools that get no result any more. */
function reportLeftOut(change: Change, earlier: Conversation): void {
  const { conversation, requestModel } = change.context;
  const count = leftOutOf(conversation, requestModel?.model) - leftOutOf(earlier, requestModel?.model);
  if (count <= 0) return;
  const blocks =
    count === 1 ? "1 block of the last response stays" : `${count} blocks of the last response stay`;
  const text = `A server tool has no result: ${blocks} out of the next requests.`;
  change.append({ type: "say", say: "error", text });
}

/** Tells the user what the model gets as `uncertain` (L12). */
function reportUncertainCalls(change: Change, ends: readonly EffectResult[]): void {
  for (const { callId, name, ask } of callsIn(change.context, "stopped"))
    if (recordedContent(callId, ends) === undefined)
      change.append({ type: "say", say: "error", text: uncertain(name, ask === "command"), callId });
}

function recordedContent(callId: string, ends: readonly EffectResult[]): Outcome["content"] | undefined {
  const content = ends.find((end) => end.callId === callId)?.content;
  return content === "uncertain" ? undefined : content;
}

function outcomesOf(context: TaskContext, ends: readonly EffectResult[]): ReadonlyMap<string, Outcome> {
  const { calls } = context.turn;
  const outcomes = new Map<string, Outcome>();
  for (const call of calls) {
    if (call.phase === "settled") outcomes.set(call.toolUseId, call.outcome);
    if (call.phase !== "stopped") continue;
    const content = recordedContent(call.callId, ends);
    const outcome: Outcome =
      content === undefined
        ? { kind: "uncertain", content: [textBlock(uncertain(call.name, call.ask === "command"))] }
        : recordedOutcome(call, context.hooks, content);
    outcomes.set(call.toolUseId, withFeedback(call, outcome));
  }
  return outcomes;
}

export function startLlm(change: Change): void {
  const { request } = change.context;
  if (request === undefined) return;
  const history = historyOf(change.context);
  const mode = requestMode(change.context);
  const requested = {
    ...requestProfile(change.context),
    ...actorIntent(change.context),
    ...responseControl(change.context),
  };
  change.start("llm", "llm", { requestId: request, history, mode, ...requested });
}

/** The state of the protocol, for the actor of a response or a summary that it judges. */
export const responseControl = ({ control, controlled }: TaskContext) =>
  control !== null && controlled.includes("response") ? { control: control.state } : {};

/** The usage of a request that costs nothing, for a model that counts no tokens. */
export const NO_USAGE: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** A sum with an unknown cost is unknown. */
export const addCost = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

export const addUsage = (a: Usage, b: Usage): Usage => ({
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  cacheWrites: a.cacheWrites + b.cacheWrites,
  cacheReads: a.cacheReads + b.cacheReads,
  cost: addCost(a.cost, b.cost),
});

/** Schedules the next attempt: exponential backoff with jitter, never before the endpoint's Retry-After. */
export function scheduleRetry(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.failed", "condense.failed"]);
  const { counters, limits } = change.context;
  const { failure, jitter, at } = event;
  const delay =
    Math.min(limits.retryDelayMaxMs, limits.retryDelayMs * 2 ** counters.retries) * (0.5 + jitter / 2);
  const waitMs = Math.max(failure.retryAfterMs ?? 0, Math.round(delay));
  change.set({ retryAt: at + waitMs });
  setCounters(change, { retries: counters.retries + 1 });
  postDelay(change, "api_req_retry_delayed", formatFailure(failure), waitMs);
}

/** Sends the next request to the profile that replaces the one whose endpoint failed. */
export function fallBack(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.failed", "condense.failed"]);
  selectFallback(change);
  resetRetries(change);
  const next = `The next request goes to the profile ${selectedProfile(change.context)}.`;
  postDelay(change, "api_req_retry_delayed", `${formatFailure(event.failure)}\n${next}`, 0);
}

/** Waits for the rest of a retry delay in a reopened task. */
export function resumeRetryDelay(change: Change): void {
  const waitMs = Math.max(0, change.context.retryAt - change.event.at);
  const reason = "The request is retried when the endpoint allows it.";
  postDelay(change, "api_req_retry_delayed", reason, waitMs);
}

/** The status on a line of its own, then the message without it. */
function formatFailure({ status, message }: Failure): string {
  if (status === undefined) return message;
  return `${status}\n${message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message}`;
}

export const mayRetry = ({ autoRetry, counters, limits }: TaskContext, failure: Failure): boolean =>
  autoRetry && failure.retryable && counters.retries < limits.retries && !isTooLong(failure, limits);

/** Whether another profile takes over: after the retries, and where the failure is the endpoint's. */
export const mayFallBack = (context: TaskContext, failure: Failure): boolean =>
  context.autoRetry && failure.retryable && !mayRetry(context, failure) && hasFallback(context);

/** Whether the endpoint asks to wait longer than the limit. */
const isTooLong = ({ retryAfterMs = 0 }: Failure, { retryAfterMaxMs }: TaskLimits): boolean =>
  retryAfterMs > retryAfterMaxMs;

export function askAboutFailure(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.failed", "context.failed", "condense.failed", "request.hooked"]);
  const { code: errorCode, message } = errorOf(change.context, event);
  postAsk(change, "api_req_failed", message, { errorCode });
  resetRetries(change);
}

function errorOf(
  context: TaskContext,
  event: Extract<TaskEvent, { type: "llm.failed" | "context.failed" | "condense.failed" | "request.hooked" }>,
): EndError {
  if (event.type === "request.hooked")
    return { code: "request_denied", message: requestDenial(event.verdict) };
  if (event.type === "context.failed") return { code: "context_failed", message: event.message };
  return { code: event.failure.code, message: failureText(context, event.failure) };
}

function failureText({ limits }: TaskContext, failure: Failure): string {
  const { message, retryAfterMs = 0 } = failure;
  if (!isTooLong(failure, limits)) return message;
  const [wait, limit] = [retryAfterMs, limits.retryAfterMaxMs].map((ms) => Math.ceil(ms / 1000));
  return `${message}\nThe endpoint asks to wait ${wait} s. The limit retryAfterMaxMs is ${limit} s.`;
}

/** Retries a failed request after the user's answer. */
export function retryManually(change: Change): void {
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  allowCompaction(change);
  change.append({ type: "say", say: "api_req_retried" });
  if (feedback !== undefined) addFeedback(change, feedback);
}

/** Id of the timer. A late event of an earlier timer has another id and is ignored. */
export const retryTimerId = ({ retryAt }: TaskContext): string => `retry:${retryAt}`;

export function startRetryTimer(change: Change): void {
  const { retryAt } = change.context;
  change.start("timer", "timer", { timerId: retryTimerId(change.context), deadline: retryAt });
}
