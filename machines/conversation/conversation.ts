import { PersistentList } from "../list/index.ts";
import type { AssistantBlock, Entry, UserBlock } from "./entry.ts";

/** What the model has been told and has said, oldest first. */
export type Conversation = PersistentList<Entry>;

/**
 * How a conversation changes: an entry is added, or the last entry is extended with more blocks
 * (when the same role speaks twice, for roles alternate: L6).
 */
export type ConversationEvent =
  | { readonly type: "entry.appended"; readonly entry: Entry }
  | { readonly type: "entry.extended"; readonly content: readonly (UserBlock | AssistantBlock)[] };

export const emptyConversation: Conversation = PersistentList.empty();

/** The event that lets `entry` be said next: an entry of its own, or more of the last one. */
export function entryEvent(conversation: Conversation, entry: Entry): ConversationEvent {
  return conversation.at(-1)?.role === entry.role
    ? { type: "entry.extended", content: entry.content }
    : { type: "entry.appended", entry };
}

/** The conversation after `event`. */
export function applyConversationEvent(conversation: Conversation, event: ConversationEvent): Conversation {
  if (event.type === "entry.appended") return conversation.append(event.entry);
  const last = conversation.at(-1);
  if (last === undefined) return conversation;
  return conversation.set(conversation.length - 1, {
    ...last,
    content: [...last.content, ...event.content],
  } as Entry);
}
