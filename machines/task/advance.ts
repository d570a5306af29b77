import type { ToolCall } from "../tool-call/index.ts";
import { begin, isEagerRead, isRead, permitByRule, showPartialRow, withdrawRow } from "./calls.ts";
import type { Change } from "./change.ts";
import type { Block } from "./task.types.ts";
import { blockAtCursor, findCall, setBlock, setTurn } from "./turn.ts";

/**
 * Deals with the answer's blocks in source order: shows text, starts permitted reads, says what failed.
 * It comes to rest at the first block that still streams, is under review, or needs its turn; the rows of
 * later blocks are held back.
 */
export function advance(change: Change): void {
  for (
    let block = blockAtCursor(change.context);
    block !== undefined;
    block = blockAtCursor(change.context)
  ) {
    const dealtWith = block.kind === "call" ? passCall(change, block.callId) : passText(change, block);
    if (!dealtWith) return;
    setTurn(change, { cursor: change.context.turn.cursor + 1 });
  }
}

function passText(change: Change, block: Extract<Block, { kind: "text" | "thinking" }>): boolean {
  const { held: text, done } = block;
  if (block.row === undefined) {
    const say = block.kind === "text" ? "text" : "reasoning";
    const row = change.append({ type: "say", say, text, ...(!done && { partial: true }) });
    setBlock(change, change.context.turn.cursor, { ...block, held: "", row });
  } else if (done) change.amend(block.row, { partial: false });
  return done;
}

function passCall(change: Change, callId: string): boolean {
  const call = findCall(change.context, callId);
  switch (call?.phase) {
    case "planned":
    case "deciding":
      showPartialRow(change, call);
      return false;
    case "decided":
      if (!isEagerRead(change.context, call)) {
        showPartialRow(change, call);
        return false;
      }
      begin(change, permitByRule(change, call));
      return true;
    case "settled":
      sayWhatFailed(change, call);
      return true;
    case "running":
      return isRead(call);
    default:
      return false;
  }
}

function sayWhatFailed(change: Change, call: Extract<ToolCall, { phase: "settled" }>): void {
  withdrawRow(change, call);
  if (call.notice !== undefined)
    change.append({ type: "say", say: "error", text: call.notice, callId: call.callId });
}
