import { assertEvent } from "xstate";
import {
  assertHistory,
  cutAtLimit,
  type Entry,
  interrupted,
  noToolUsed,
  pairResults,
  saying,
  textBlock,
  toolError,
  type UserBlock,
  uncertain,
} from "../conversation/index.ts";
import { closedRequestText, openRequestText, positionOf } from "../message/index.ts";
import type { Outcome, ToolCall } from "../tool-call/index.ts";
import { advance } from "./advance.ts";
import { endLastBlock } from "./answer.ts";
import { countMistake, settleAsMistake, toolActorId, withdrawRow } from "./calls.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import { drainQueue } from "./queue.ts";
import type { EffectEnd, TaskContext, Usage } from "./task.types.ts";
import { callAtCursor, callIn, callsIn, emptyTurn, setTurn } from "./turn.ts";

/** Told in each request's row, at its beginning and at its end. */
const API_PROTOCOL = "anthropic";

export const noUsage: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

const sum = (a: Usage, b: Usage): Usage => ({
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  cacheWrites: a.cacheWrites + b.cacheWrites,
  cacheReads: a.cacheReads + b.cacheReads,
  cost: a.cost + b.cost,
});

/** Says what waits in the queue and opens a request: a row of its own for every attempt (L4). */
export function openRequest(change: Change): void {
  drainQueue(change);
  const request = change.append({
    type: "say",
    say: "api_req_started",
    text: openRequestText({ apiProtocol: API_PROTOCOL }),
  });
  const { counters } = change.context;
  change.set({ request, usage: noUsage, counters: { ...counters, requests: counters.requests + 1 } });
}

/** Closes the open request's row with what it cost and, where it didn't end well, why (L4). */
export function closeRequest(change: Change): void {
  const { event } = change;
  const { request } = change.context;
  if (request === undefined) return;
  if (event.type === "llm.failed") change.set({ usage: event.usage });
  const { usage, total, counters } = change.context;
  const text = closedRequestText({ apiProtocol: API_PROTOCOL, ...usage, ...reasonOf(change) });
  change.amend(request, { text });
  change.set({
    request: undefined,
    total: sum(total, usage),
    counters: { ...counters, cost: counters.cost + usage.cost },
  });
}

function reasonOf({ event }: Change) {
  if (event.type === "task.cancel") return { cancelReason: "user_cancelled" } as const;
  const failed = (streamingFailedMessage: string) =>
    ({ cancelReason: "streaming_failed", streamingFailedMessage }) as const;
  if (event.type === "llm.failed") return failed(event.failure.message);
  if (event.type === "context.failed" || event.type === "journal.failed") return failed(event.message);
  return {};
}

export function startContext(change: Change): void {
  const { request, conversation } = change.context;
  if (request === undefined) return;
  const stopped = callsIn(change.context, "stopped").map(({ callId }) => callId);
  change.set({ prepared: undefined });
  change.start("context", "context", { requestId: request, conversation, stopped });
}

/** Keeps what the request will be built from: reads that still run are waited for. */
export function takeContext(change: Change): void {
  const { event } = change;
  assertEvent(event, "context.ready");
  change.set({ prepared: { environment: event.environment, ends: event.ends } });
}

/**
 * Builds what the request says: the results of the turn's calls in source order, what the user said, the
 * environment. A request that is tried again says what it said before. The history is checked by the
 * independent checker before anything is sent (L6).
 */
export function buildHistory(change: Change): void {
  const { conversation, pending, turn, prepared } = change.context;
  if (prepared === undefined) throw new BrokenInvariantError("a request is built from no context");
  const last = conversation.at(-1);
  const results: readonly UserBlock[] =
    last?.role === "assistant"
      ? pairResults(last.content, outcomesOf(turn.calls, prepared.ends), interrupted())
      : [];
  sayWhatIsUncertain(change, prepared.ends);
  const words = [...results, ...pending];
  const isContinuation = last?.role === "assistant" && turn.stopReason === "pause_turn";
  if (words.length > 0 || !(isContinuation || last?.role === "user")) {
    const content = [...words, textBlock(prepared.environment)];
    change.say(saying(conversation, { role: "user", content } satisfies Entry));
  }
  change.set({ pending: [], turn: emptyTurn, prepared: undefined });
  assertHistory(change.context.conversation, { mayEndWithAssistant: isContinuation });
}

/** The user is told as the model is (L12). */
function sayWhatIsUncertain(change: Change, ends: readonly EffectEnd[]): void {
  for (const { callId, name } of callsIn(change.context, "stopped")) {
    const end = ends.find((candidate) => candidate.callId === callId);
    if (end === undefined || end.content === "uncertain")
      change.append({ type: "say", say: "error", text: uncertain(name), callId });
  }
}

function outcomesOf(calls: readonly ToolCall[], ends: readonly EffectEnd[]): ReadonlyMap<string, Outcome> {
  const outcome = (call: ToolCall): Outcome | undefined => {
    if (call.phase === "settled") return call.outcome;
    if (call.phase !== "stopped") return undefined;
    const end = ends.find(({ callId }) => callId === call.callId);
    if (end === undefined || end.content === "uncertain")
      return { kind: "uncertain", content: [textBlock(uncertain(call.name))] };
    return { kind: "done", content: end.content };
  };
  return new Map(
    calls.flatMap((call) => {
      const found = outcome(call);
      return found === undefined ? [] : [[call.toolUseId, found] as const];
    }),
  );
}

export function startLlm(change: Change): void {
  const { request, conversation } = change.context;
  if (request === undefined) return;
  change.start("llm", "llm", { requestId: request, history: conversation });
}

export function takeUsage(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.usage");
  change.set({ usage: event.usage });
}

/** Takes the model's answer as it came. A call that never ended is broken. */
export function takeAnswer(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.finished");
  endLastBlock(change);
  // An answer of thinking alone says nothing, and no model takes it back.
  if (event.content.some(({ type }) => type === "text" || type === "tool_use")) {
    change.say(saying(change.context.conversation, { role: "assistant", content: event.content }));
  }
  for (const call of callsIn(change.context, "planned")) {
    const error = `${call.name}: its arguments never ended.`;
    settleAsMistake(change, call, error, toolError(error));
  }
  setTurn(change, { stopReason: event.stopReason });
  const { counters } = change.context;
  change.set({ usage: event.usage, counters: { ...counters, retries: 0 } });
  advance(change);
}

/** Gives up an answer that did not come whole: its rows are closed, the reads that it began are dropped. */
export function dropAnswer(change: Change): void {
  closePartialRow(change);
  for (const call of change.context.turn.calls) {
    if (call.phase === "running") change.stop("tool", toolActorId(call.callId));
    if (call.phase === "deciding") change.stop("review", `review:${call.callId}`);
  }
  change.set({ turn: emptyTurn });
}

/** Keeps the words of an answer that the user cut short, without its thinking and its calls (L6). */
export function keepWords(change: Change): void {
  const { turn, log } = change.context;
  const shown = (row: number | undefined) =>
    row === undefined ? "" : (log.at(positionOf(log, row))?.text ?? "");
  const text = turn.blocks
    .map((block) => (block.kind === "text" ? shown(block.row) + block.held : ""))
    .join("")
    .trimEnd();
  if (text === "") return;
  change.say(saying(change.context.conversation, { role: "assistant", content: [textBlock(text)] }));
}

/** Closes the row that still streams, if there is one (L3). */
export function closePartialRow(change: Change): void {
  const last = change.context.log.at(-1);
  if (last?.partial !== true) return;
  const call = callAtCursor(change.context);
  if (call?.row === last.ts) {
    withdrawRow(change, call);
    return;
  }
  change.amend(last.ts, { partial: false });
}

/** Waits no longer for the review of the call at the cursor. */
export function giveUpReview(change: Change): void {
  const waiting = callAtCursor(change.context);
  const call = waiting === undefined ? undefined : callIn(change.context, waiting.callId, "deciding");
  if (call === undefined) return;
  change.stop("review", `review:${call.callId}`);
  const error = `${call.name} could not be prepared within ${change.context.limits.finishingDeadlineMs} ms.`;
  settleAsMistake(change, call, error, toolError(error));
  advance(change);
}

/** The turn is over: what an answer without a call is told. */
export function reflectOnTurn(change: Change): void {
  const { turn, counters, pending, limits } = change.context;
  if (turn.calls.length > 0) {
    change.set({ counters: { ...counters, noToolUses: 0, pauses: 0 } });
    return;
  }
  if (turn.stopReason === "pause_turn" && counters.pauses < limits.pauses) {
    change.set({ counters: { ...counters, pauses: counters.pauses + 1 } });
    return;
  }
  if (turn.stopReason === "pause_turn") {
    const text = `The model paused its answer more than ${limits.pauses} times in a row (the limit \`pauses\`).`;
    change.append({ type: "say", say: "error", text });
  }
  const text = turn.stopReason === "max_tokens" ? cutAtLimit() : noToolUsed();
  change.set({
    pending: [...pending, textBlock(text)],
    counters: { ...counters, noToolUses: counters.noToolUses + 1, pauses: 0 },
  });
  if (counters.noToolUses + 1 < 2) return;
  change.append({ type: "say", say: "error", text: "MODEL_NO_TOOLS_USED" });
  countMistake(change);
}

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
  const status = failure.status === undefined ? "" : `${failure.status}\n`;
  const text = `${status}${failure.message}\n<retry_timer>${Math.ceil(waitMs / 1000)}</retry_timer>`;
  change.append({ type: "say", say: "api_req_retry_delayed", text });
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
