import { assertEvent } from "xstate";
import {
  assertHistory,
  type Entry,
  interrupted,
  pairResults,
  saying,
  textBlock,
  type UserBlock,
  uncertain,
} from "../conversation/index.ts";
import type { Outcome, ToolCall } from "../tool-call/index.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import { withFeedback } from "./results.ts";
import type { EffectEnd } from "./task.types.ts";
import { callsIn, endTurn } from "./turn.ts";

export function startContext(change: Change): void {
  const { request, conversation, pending, mode } = change.context;
  if (request === undefined) return;
  const stopped = callsIn(change.context, "stopped").map(({ callId }) => callId);
  change.set({ prepared: undefined });
  change.start("context", "context", {
    requestId: request,
    spoken: pending.length > 0,
    conversation,
    stopped,
    mode,
  });
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
  endTurn(change);
  change.set({ pending: [], prepared: undefined });
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
    return { kind: "done", content: withFeedback(call.feedback, end.content) };
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
