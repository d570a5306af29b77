import { memo } from "react";
import type { Entry } from "../../../../machines/conversation/entry.ts";
import { Block } from "./block.tsx";
import type { ToolPairs } from "./tool-pairs.ts";

/** The most blocks of one entry that are rendered: its newest. */
const BLOCKS_MAX = 60;

export interface EntryCardProps {
  readonly entry: Entry;
  readonly position: number;
  readonly pairs: ToolPairs;
  /** The first block that the event added; absent: none. */
  readonly added: number | undefined;
}

/** One entry of the conversation, with its blocks. */
export const EntryCard = memo(function EntryCard({ entry, position, pairs, added }: EntryCardProps) {
  const isModel = entry.role === "assistant";
  const first = Math.max(0, entry.content.length - BLOCKS_MAX);
  return (
    <li className={`conversation-entry conversation-${entry.role}`}>
      <p className="conversation-role">
        <b>{entry.role}</b> <span className="conversation-quiet">{position + 1}</span>
      </p>
      {first > 0 && <p className="conversation-quiet">… {first} earlier blocks of this entry</p>}
      {entry.content.slice(first).map((block, offset) => {
        const index = first + offset;
        const pair = pairs.of(position, index);
        const isAdded = added !== undefined && index >= added;
        return (
          <div
            key={index}
            className={isAdded ? "conversation-block conversation-added" : "conversation-block"}
            {...(isAdded && { "data-marked": "" })}
          >
            {isAdded && index === Math.max(first, added) && (
              <span className="conversation-added-badge">added here</span>
            )}
            <Block
              block={block}
              isModel={isModel}
              pair={pair}
              hasResult={pair !== undefined && pairs.hasResult(pair)}
            />
          </div>
        );
      })}
    </li>
  );
});
