import { positionOf } from "../machines/message/index.ts";
import type { Block, TaskContext } from "../machines/task/index.ts";

/** All that has come of a block: what its row has, and what is held back. */
export function textOf(block: Exclude<Block, { kind: "call" }>, { log }: TaskContext): string {
  const shown = block.ts === undefined ? "" : (log.at(positionOf(log, block.ts))?.text ?? "");
  return shown + block.buffered;
}
