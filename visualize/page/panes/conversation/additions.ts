import type { Conversation } from "../../../../machines/conversation/index.ts";
import type { TraceEvent } from "../../../../trace/index.ts";

/** What one event added to the conversation: the first new block, by the position of its entry. */
export function conversationAdditions(
  { record }: TraceEvent,
  conversation: Conversation,
): ReadonlyMap<number, number> {
  const additions = new Map<number, number>();
  if (record.kind !== "commit") return additions;
  let length = conversation.length;
  for (const event of record.conversation.toReversed()) {
    const position = length - 1;
    if (event.type === "entry.appended") {
      additions.set(position, 0);
      length -= 1;
    } else {
      const first = additions.get(position) ?? conversation.at(position)?.content.length ?? 0;
      additions.set(position, Math.max(0, first - event.content.length));
    }
  }
  return additions;
}
