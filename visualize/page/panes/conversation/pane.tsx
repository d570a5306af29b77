import type { ReactNode } from "react";
import type { PaneProps } from "../../pane.ts";
import { Elsewhere, useReveal, useSpan } from "../reading/index.ts";
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
  const span = useSpan(conversation.length, conversation.length - 1, CONVERSATION_MAX_ENTRIES, at);
  const list = useReveal<HTMLDivElement>(at);
  const cards: ReactNode[] = [];
  for (let position = span.from; position < span.to; position += 1) {
    const entry = conversation.at(position);
    if (entry !== undefined)
      cards.push(
        <EntryCard
          key={position}
          entry={entry}
          position={position}
          pairs={pairs}
          added={additions.get(position)}
        />,
      );
  }
  return (
    <section className="conversation-pane" aria-label="Conversation with the model">
      <div ref={list} className="conversation-scroll">
        <Elsewhere
          side="earlier"
          left={span.from}
          of="entries"
          onMove={span.move}
          className="conversation-more"
        />
        {conversation.length === 0 && (
          <p className="conversation-quiet">Nothing has been said to the model yet.</p>
        )}
        <ol className="conversation-list" start={span.from + 1}>
          {cards}
        </ol>
        <Elsewhere
          side="later"
          left={conversation.length - span.to}
          of="entries"
          onMove={span.move}
          className="conversation-more"
        />
      </div>
    </section>
  );
}
