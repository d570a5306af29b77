import type { ReactNode } from "react";
import type { PaneProps } from "../../pane.ts";
import { ReadList } from "../reading/index.ts";
import { additionsBy } from "./additions.ts";
import { EntryCard } from "./entry-card.tsx";
import { pairsOf } from "./pairs.ts";
import "./conversation.css";

/** How many entries are on the page at once, however long the conversation is. */
export const CONVERSATION_MAX_ENTRIES = 60;

/**
 * What the model has been told and has said, as it is sent with the next request. A call and its result bear the same
 * number and colour. What the event at this place added is marked.
 */
export function ConversationPane({ trace, at }: PaneProps): ReactNode {
  const { event, memory } = trace.moment(at);
  const { conversation } = memory;
  const additions = additionsBy(event, conversation);
  const pairs = pairsOf(conversation);
  return (
    <ReadList
      label="Conversation with the model"
      of="entries"
      length={conversation.length}
      focus={conversation.length - 1}
      size={CONVERSATION_MAX_ENTRIES}
      place={at}
      none="Nothing has been said to the model yet."
      item={(position) => {
        const entry = conversation.at(position);
        if (entry === undefined) return null;
        const added = additions.get(position);
        return <EntryCard key={position} entry={entry} position={position} pairs={pairs} added={added} />;
      }}
    />
  );
}
