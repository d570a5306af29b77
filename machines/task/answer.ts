import { assertEvent } from "xstate";
import { callsLimit, repetition, toolError } from "../conversation/index.ts";
import type { CallAsk, ToolCall } from "../tool-call/index.ts";
import { advance } from "./advance.ts";
import { reviewActorId, settle, settleAsMistake } from "./calls.ts";
import type { Change } from "./change.ts";
import { callIn, setBlock, setCall, setTurn, toDecided, toDeciding } from "./turn.ts";

const MODE = {
  "llm.text.delta": "text",
  "llm.thinking.delta": "thinking",
} as const;

/** Text or thinking grows: in its row if its place was reached, held back if not. */
export function growBlock(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.text.delta", "llm.thinking.delta"]);
  const kind = MODE[event.type];
  const { blocks } = change.context.turn;
  const block = blocks[event.index];
  if (event.index === blocks.length) {
    endLastBlock(change);
    setTurn(change, { blocks: [...change.context.turn.blocks, { kind, held: event.text, done: false }] });
    advance(change);
  } else if (block !== undefined && block.kind === kind && !block.done) {
    if (block.row !== undefined) change.grow(block.row, event.text);
    else setBlock(change, event.index, { ...block, held: block.held + event.text });
  }
}

/** The block has all its text. */
export function endBlock(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.text.end", "llm.thinking.end"]);
  finishBlock(change, event.index);
  advance(change);
}

export function endLastBlock(change: Change): void {
  finishBlock(change, change.context.turn.blocks.length - 1);
}

function finishBlock(change: Change, index: number): void {
  const block = change.context.turn.blocks[index];
  if (block !== undefined && block.kind !== "call" && !block.done)
    setBlock(change, index, { ...block, done: true });
}

/** The model begins a call. One call too many is refused at once (L14). */
export function planCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.start");
  const { limits } = change.context;
  endLastBlock(change);
  const { turn } = change.context;
  const { callId, toolUseId, name, ask } = event;
  const call: ToolCall = { callId, toolUseId, name, ask, phase: "planned", preview: "" };
  setTurn(change, { blocks: [...turn.blocks, { kind: "call", callId }], calls: [...turn.calls, call] });
  if (turn.calls.length >= limits.calls) {
    const error = callsLimit(limits.calls);
    settle(change, call, "skipped", toolError(error), error);
  }
  advance(change);
}

/** More of the arguments has come: the partial row shows it. */
export function previewCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.delta");
  const call = callIn(change.context, event.callId, "planned");
  if (call === undefined) return;
  setCall(change, { ...call, preview: event.preview });
  if (call.row !== undefined) change.amend(call.row, { text: event.preview });
}

/** The arguments are whole: the edge looks at the call. */
export function reviewCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.end");
  const call = callIn(change.context, event.callId, "planned");
  if (call === undefined) return;
  setCall(change, toDeciding(call, event.input));
  change.start("review", reviewActorId(call.callId), {
    callId: call.callId,
    name: call.name,
    input: event.input,
  });
}

/** The arguments never became whole: the call never runs (L7). */
export function breakCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.broken");
  const call = callIn(change.context, event.callId, "planned");
  if (call === undefined) return;
  settleAsMistake(change, call, event.error, toolError(event.error));
  advance(change);
}

/** The edge has looked at the call: it waits for its turn, or it is refused. */
export function takeReview(change: Change): void {
  const { event } = change;
  assertEvent(event, "call.reviewed");
  const call = callIn(change.context, event.callId, "deciding");
  if (call === undefined) return;
  change.stop("review", reviewActorId(call.callId));
  const { review } = event;
  if (!review.valid) settleAsMistake(change, call, review.error, toolError(review.error));
  else if (review.verdict.kind === "deny") {
    const { rule, reason } = review.verdict;
    settle(
      change,
      call,
      "denied",
      toolError(`Denied by the rule "${rule}": ${reason}`),
      `${call.name}: denied by the rule "${rule}": ${reason}`,
    );
  } else if (isRepeatedTooOften(change, review.effect, review.digest)) {
    settleAsMistake(change, call, repetition(call.name), toolError(repetition(call.name)));
    const { counters, limits } = change.context;
    change.set({ counters: { ...counters, mistakes: Math.max(counters.mistakes, limits.mistakes) } });
  } else
    setCall(
      change,
      toDecided(call, asksByNature(call.ask) ? { ...review, verdict: { kind: "ask" } } : review),
    );
  advance(change);
}

/** A question and a completion are put to a person, whatever a policy allows. */
const asksByNature = (ask: CallAsk): boolean => ask === "followup" || ask === "completion_result";

function isRepeatedTooOften(change: Change, effect: string, digest: string): boolean {
  const { counters, limits } = change.context;
  if (effect === "asks") return false;
  const times = counters.repeated.digest === digest ? counters.repeated.times + 1 : 1;
  const tripped = limits.repetitions > 0 && times > limits.repetitions;
  change.set({ counters: { ...counters, repeated: { digest, times: tripped ? 0 : times } } });
  return tripped;
}
