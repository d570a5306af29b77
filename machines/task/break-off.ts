import { saying, textBlock } from "../conversation/index.ts";
import { positionOf } from "../message/index.ts";
import { toolActorId, withdrawRow } from "./calls.ts";
import type { Change } from "./change.ts";
import { callAtCursor, endTurn } from "./turn.ts";

/** Gives up an answer that did not come whole: its rows are closed, the reads that it began are dropped. */
export function dropAnswer(change: Change): void {
  closePartialRow(change);
  for (const call of change.context.turn.calls) {
    if (call.phase === "running") change.stop("tool", toolActorId(call.callId));
    if (call.phase === "deciding") change.stop("review", `review:${call.callId}`);
  }
  endTurn(change);
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
