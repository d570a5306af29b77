import type { Block } from "../../machines/task/task.context.ts";
import { appendedMessages } from "./changes.ts";
import type { Law, Step } from "./law.ts";

/** The blocks that the turn's cursor passed in this macrostep; undefined where the turn ended in it. */
function passedBlocks({ before, after }: Step): readonly Block[] | undefined {
  const { turn } = after.context;
  const isSameTurn = before.context.turn.blocks.length <= turn.blocks.length;
  return isSameTurn ? turn.blocks.slice(before.context.turn.cursor, turn.cursor) : undefined;
}

/** Nothing of a response is hidden from the user: what is not interpreted is shown by its type. */
export const opaque: Law = {
  id: "OPAQUE",
  title: "a block that is not interpreted becomes one message, at its position in the response",
  violation(step) {
    const passed = passedBlocks(step)?.flatMap((block) => (block.kind === "opaque" ? [block.text] : []));
    const shown = appendedMessages(step).flatMap(({ say, text }) => (say === "opaque" ? [text] : []));
    if (passed === undefined)
      return shown.length === 0 ? undefined : "a block of a turn that has ended was shown";
    return JSON.stringify(shown) === JSON.stringify(passed)
      ? undefined
      : `expected messages of the blocks ${passed.join(", ") || "none"}, got ${shown.join(", ") || "none"}`;
  },
};
