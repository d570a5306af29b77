import { textBlock } from "./blocks.ts";
import type { Conversation, EntriesReplaced } from "./conversation.ts";
import type { UserEntry } from "./entry.ts";
import { removedEntries, summarized } from "./notices.ts";
import { estimateEntries } from "./tokens.ts";

/** The first response that can be kept: before it, a turn has ended. */
const FIRST_KEPT = 3;

/**
 * The position of the response from which a shorter conversation keeps everything: the earliest one with at most
 * `keepTokens` from it on, and at least the last one. A response is kept with its results (L6). Undefined: there is
 * nothing before it but the first entry.
 */
export function keptFrom(conversation: Conversation, keepTokens: number): number | undefined {
  let kept: number | undefined;
  let tokens = 0;
  for (let position = conversation.length - 1; position >= FIRST_KEPT; position -= 1) {
    tokens += estimateEntries(conversation, position, position + 1);
    if (kept !== undefined && tokens > keepTokens) break;
    if (conversation.at(position)?.role === "assistant") kept = position;
  }
  return kept;
}

/** The entries before `from` are replaced by a summary of them. */
export const condensed = (from: number, summary: string): EntriesReplaced => ({
  type: "entries.replaced",
  count: from,
  by: [{ role: "user", content: [textBlock(summarized(summary))] }],
});

/** The entries between the first one and `from` are removed. */
export function truncated(conversation: Conversation, from: number): EntriesReplaced {
  const first = conversation.at(0);
  const notice = textBlock(removedEntries());
  const kept = first?.role === "user" ? first.content : [];
  const isMarked = kept.some((block) => block.type === "text" && block.text === notice.text);
  const entry: UserEntry = { role: "user", content: isMarked ? kept : [...kept, notice] };
  return { type: "entries.replaced", count: from, by: [entry] };
}
