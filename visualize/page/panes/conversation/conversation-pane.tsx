import type { ReactNode } from "react";
import type { Conversation } from "../../../../machines/conversation/conversation.ts";
import type { TraceEvent } from "../../../trace/trace-event.ts";
import { PagedList } from "../list/paged-list.tsx";
import type { TranscriptProps } from "../transcript/transcript-props.ts";
import { EntryCard } from "./entry-card.tsx";
import { toolPairs } from "./tool-pairs.ts";
import "./conversation.css";

/** The most entries that are rendered at once. */
export const CONVERSATION_MAX_ENTRIES = 60;

/**
 * The conversation with the model, as it is sent with the next request. A tool call and its result have the same number
 * and colour. What the current event added is marked.
 */
export function ConversationPane({ trace, at, anchor, tools }: TranscriptProps): ReactNode {
  const { event, memory } = trace.moment(at);
  const { conversation } = memory;
  const additions = conversationAdditions(event, conversation);
  const pairs = toolPairs(conversation);
  return (
    <PagedList
      label="Conversation with the model"
      of="entries"
      length={conversation.length}
      focus={conversation.length - 1}
      size={CONVERSATION_MAX_ENTRIES}
      at={at}
      anchor={anchor}
      head={
        <header className="transcript-head">
          <span className="transcript-note">As it is sent with the next request</span>
          {tools}
        </header>
      }
      none="No conversation yet."
      item={(position) => {
        const entry = conversation.at(position);
        if (entry === undefined) return null;
        const added = additions.get(position);
        return <EntryCard key={position} entry={entry} position={position} pairs={pairs} added={added} />;
      }}
    />
  );
}

/** The addition of one event to the conversation: the first new block, by the position of its entry. */
function conversationAdditions(
  { record }: TraceEvent,
  conversation: Conversation,
): ReadonlyMap<number, number> {
  const additions = new Map<number, number>();
  if (record.kind !== "commit") return additions;
  let length = conversation.length;
  /** How far later events of the commit moved the entries. */
  let moved = 0;
  for (const event of record.conversation.toReversed()) {
    const position = length - 1 + moved;
    if (event.type === "entries.replaced") {
      for (const at of event.by.keys()) additions.set(at + moved, 0);
      length += event.count - event.by.length;
      moved += event.by.length - event.count;
    } else if (event.type === "entry.appended") {
      additions.set(position, 0);
      length -= 1;
    } else {
      const first = additions.get(position) ?? conversation.at(position)?.content.length ?? 0;
      additions.set(position, Math.max(0, first - event.content.length));
    }
  }
  return additions;
}
