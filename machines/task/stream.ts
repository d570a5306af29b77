import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { callsLimit, toolError } from "../conversation/notices.ts";
import { positionOf } from "../message/log.ts";
import type { ToolCall } from "../tool-call/call.ts";
import { reviewActorId, settleAsMistake, settleWithText, toolActorId, withdrawMessage } from "./calls.ts";
import type { Change } from "./change.ts";
import { allowCompaction } from "./compaction.ts";
import { addEntry, addResponse } from "./context-tokens.ts";
import { resetRetries } from "./counters.ts";
import { nameOf } from "./model.ts";
import type { Block, ProseBlock } from "./task.context.ts";
import { callIn, callsIn, describeCall, dueCall, endTurn, setBlock, setTurn } from "./turn.ts";

const isProse = (block: Block): block is ProseBlock => block.kind === "text" || block.kind === "thinking";

const KIND = {
  "llm.text.delta": "text",
  "llm.thinking.delta": "thinking",
} as const;

/** Adds a block that is not interpreted to the turn. */
export function addOpaqueBlock(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.opaque");
  endLastBlock(change);
  setTurn(change, { blocks: [...change.context.turn.blocks, { kind: "opaque", text: event.text }] });
}

/** Adds a block of text or thinking to the turn. */
export function addProseBlock(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.text.delta", "llm.thinking.delta"]);
  endLastBlock(change);
  const block: Block = { kind: KIND[event.type], buffered: event.text, done: false };
  setTurn(change, { blocks: [...change.context.turn.blocks, block] });
}

/** Appends text or thinking: to its message if the cursor is there, else to the block's buffer. */
export function growBlock(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.text.delta", "llm.thinking.delta"]);
  const block = change.context.turn.blocks[event.index];
  if (block === undefined || block.kind !== KIND[event.type] || block.done) return;
  if (block.ts !== undefined) change.grow(block.ts, event.text);
  else setBlock(change, event.index, { ...block, buffered: block.buffered + event.text });
}

/** Ends a block of text or thinking. */
export function endBlock(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.text.end", "llm.thinking.end"]);
  markDone(change, event.index);
}

function endLastBlock(change: Change): void {
  markDone(change, change.context.turn.blocks.length - 1);
}

function markDone(change: Change, index: number): void {
  const block = change.context.turn.blocks[index];
  if (block !== undefined && isProse(block) && !block.done) setBlock(change, index, { ...block, done: true });
}

/** Adds a call to the turn. A call beyond the limit is skipped at once (L14). */
export function planCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.start");
  const { limits } = change.context;
  endLastBlock(change);
  const { turn } = change.context;
  const { callId, toolUseId, name, ask } = event;
  const author = turn.judged === "trusted" ? { author: turn.judged } : {};
  const call: ToolCall = { callId, toolUseId, name, ask, ...author, phase: "planned", preview: "" };
  setTurn(change, { blocks: [...turn.blocks, { kind: "call", callId }], calls: [...turn.calls, call] });
  if (turn.calls.length >= limits.calls) {
    const error = callsLimit(limits.calls);
    settleWithText(change, call, "skipped", toolError(error), { say: "error", text: error });
  }
}

/** Shows the arguments received so far in the call's partial message. */
export function previewCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.delta");
  const call = callIn(change.context, event.callId, "planned");
  if (call === undefined || !("preview" in event)) return;
  describeCall(change, call, { preview: event.preview });
  if (call.row !== undefined) change.amend(call.row, { text: event.preview });
}

/** Settles a call with incomplete arguments: it never runs (L7). */
export function breakCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.broken");
  const call = callIn(change.context, event.callId, "planned");
  if (call === undefined) return;
  settleAsMistake(change, call, event.error);
}

/** Adds the complete response to the conversation. A call without an end is broken. */
export function applyResponse(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.finished");
  endLastBlock(change);
  const { requestModel, turn } = change.context;
  const model = turn.judged === "trusted" ? undefined : requestModel?.model;
  // The API rejects a response of thinking alone in a conversation.
  if (event.content.some(({ type }) => !type.endsWith("thinking")))
    addResponse(
      change,
      { role: "assistant", content: event.content, ...(model && { model: nameOf(model) }) },
      event.usage,
    );
  for (const call of callsIn(change.context, "planned"))
    settleAsMistake(change, call, `${call.name}: the arguments are incomplete.`);
  setTurn(change, { stopReason: event.stopReason });
  change.set({ usage: event.usage });
  allowCompaction(change);
  resetRetries(change);
}

/** Discards an incomplete response: closes its messages and stops its reads and reviews. */
export function discardResponse(change: Change): void {
  closePartialMessage(change);
  for (const call of change.context.turn.calls) {
    if (call.phase === "running") change.stop("tool", toolActorId(call.callId));
    if (call.phase === "deciding") change.stop("review", reviewActorId(call.callId));
  }
  endTurn(change);
}

/** Keeps the text of a cancelled response in the conversation, without its thinking and its calls (L6). */
export function keepPartialText(change: Change): void {
  const { turn, log } = change.context;
  const shown = (ts: number | undefined) =>
    ts === undefined ? "" : (log.at(positionOf(log, ts))?.text ?? "");
  const text = turn.blocks
    .map((block) => (block.kind === "text" ? shown(block.ts) + block.buffered : ""))
    .join("")
    .trimEnd();
  if (text !== "") addEntry(change, { role: "assistant", content: [textBlock(text)] });
}

/** Closes the partial message, if there is one (L3). */
export function closePartialMessage(change: Change): void {
  const last = change.context.log.at(-1);
  if (last?.partial !== true) return;
  const call = dueCall(change.context);
  if (call?.row === last.ts) withdrawMessage(change, call);
  else change.amend(last.ts, { partial: false });
}
