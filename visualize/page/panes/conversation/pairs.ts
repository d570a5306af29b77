import type { Conversation } from "../../../../machines/conversation/index.ts";

/** Calls and their results, numbered as the calls come. */
export interface Pairs {
  /** The number of the pair that a block belongs to; `undefined` for a result whose call isn't there. */
  of(entry: number, block: number): number | undefined;
  /** Whether the call with this number has its result. */
  isAnswered(pair: number): boolean;
}

const known = new WeakMap<Conversation, Pairs>();

/** The pairs of a conversation: a result belongs to the newest call before it that has its id (L6). */
export function pairsOf(conversation: Conversation): Pairs {
  let pairs = known.get(conversation);
  if (pairs === undefined) {
    pairs = paired(conversation);
    known.set(conversation, pairs);
  }
  return pairs;
}

function paired(conversation: Conversation): Pairs {
  const numbers = new Map<string, number>();
  const newest = new Map<string, number>();
  const answered = new Set<number>();
  let count = 0;
  let position = 0;
  for (const { content } of conversation) {
    for (const [index, block] of content.entries()) {
      if (block.type === "tool_use") {
        count += 1;
        newest.set(block.id, count);
        numbers.set(`${position}/${index}`, count);
      } else if (block.type === "tool_result") {
        const pair = newest.get(block.tool_use_id);
        if (pair === undefined) continue;
        answered.add(pair);
        numbers.set(`${position}/${index}`, pair);
      }
    }
    position += 1;
  }
  return {
    of: (entry, block) => numbers.get(`${entry}/${block}`),
    isAnswered: (pair) => answered.has(pair),
  };
}
