import { positionOf } from "../machines/message/log.ts";
import type { ProseBlock, TaskContext } from "../machines/task/task.context.ts";

/** The text of a block received so far: that of its message plus the buffered part. */
export function textOf(block: ProseBlock, { log }: TaskContext): string {
  const shown = block.ts === undefined ? "" : (log.at(positionOf(log, block.ts))?.text ?? "");
  return shown + block.buffered;
}
