import { textBlock } from "./blocks.ts";
import type { Conversation, EntriesReplaced } from "./conversation.ts";
import type { UserBlock, UserEntry } from "./entry.ts";
import { carriedEnvironment, isCarriedEnvironment, sectionsIn } from "./environment.ts";
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

/** The entries before `from` are replaced by a summary of them, and what they last said about the environment. */
export function condensed(conversation: Conversation, from: number, summary: string): EntriesReplaced {
  const carried = carriedEnvironment(conversation, from);
  const content = [textBlock(summarized(summary)), ...(carried === undefined ? [] : [carried])];
  return { type: "entries.replaced", count: from, by: [{ role: "user", content }] };
}

/** The entries between the first one and `from` are removed, but for what they last said about the environment. */
export function truncated(conversation: Conversation, from: number): EntriesReplaced {
  const first = conversation.at(0);
  const notice = textBlock(removedEntries());
  const kept = first?.role === "user" ? first.content.filter((block) => !isAdded(block, notice.text)) : [];
  const entry: UserEntry = { role: "user", content: [...kept, notice] };
  const carried = carriedEnvironment(conversation, from, sectionsIn(entry));
  const by = carried === undefined ? entry : { ...entry, content: [...entry.content, carried] };
  return { type: "entries.replaced", count: from, by: [by] };
}

/** Whether an earlier removal added the block. */
const isAdded = (block: UserBlock, notice: string): boolean =>
  isCarriedEnvironment(block) || (block.type === "text" && block.text === notice);
