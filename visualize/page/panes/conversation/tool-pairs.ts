import type { Conversation } from "../../../../machines/conversation/conversation.ts";

/** Tool calls and their results, numbered by call. */
export interface ToolPairs {
  /** The number of a block's pair; `undefined` for a result without a call. */
  of(entry: number, block: number): number | undefined;
  /** Whether the call with this number has its result. */
  hasResult(pair: number): boolean;
}

const known = new WeakMap<Conversation, ToolPairs>();

/** The pairs of a conversation: a result belongs to the newest call before it with its id (L6). */
export function toolPairs(conversation: Conversation): ToolPairs {
  const pairs = known.get(conversation) ?? pairCalls(conversation);
  known.set(conversation, pairs);
  return pairs;
}

function pairCalls(conversation: Conversation): ToolPairs {
  const numbers = new Map<string, number>();
  const newest = new Map<string, number>();
  const withResult = new Set<number>();
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
        withResult.add(pair);
        numbers.set(`${position}/${index}`, pair);
      }
    }
    position += 1;
  }
  return {
    of: (entry, block) => numbers.get(`${entry}/${block}`),
    hasResult: (pair) => withResult.has(pair),
  };
}
