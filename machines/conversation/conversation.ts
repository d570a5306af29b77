import { frozen } from "../list/frozen.ts";
import { PersistentList } from "../list/list.ts";
import type { AssistantBlock, Entry, UserBlock } from "./entry.ts";

/** Messages to and from the model, oldest first. */
export type Conversation = PersistentList<Entry>;

/**
 * A change of a conversation: a new entry, more blocks of the last entry if the role is the same (L6), or others in place
 * of the first `count` entries (COMPACT).
 */
export type ConversationEvent =
  | { readonly type: "entry.appended"; readonly entry: Entry }
  | { readonly type: "entry.extended"; readonly content: readonly (UserBlock | AssistantBlock)[] }
  | EntriesReplaced;

export interface EntriesReplaced {
  readonly type: "entries.replaced";
  readonly count: number;
  readonly by: readonly Entry[];
}

/** A conversation without entries, to fold recorded changes into. */
export const emptyConversation: Conversation = PersistentList.empty();

/** Create the event that adds `entry`: as a new entry, or to the last one of the same role. */
export function entryEvent(conversation: Conversation, entry: Entry): ConversationEvent {
  return conversation.at(-1)?.role === entry.role
    ? { type: "entry.extended", content: entry.content }
    : { type: "entry.appended", entry };
}

/** Return the conversation after `event`. Its entries are frozen: they are handed out, and sent again with each request. */
export function applyConversationEvent(conversation: Conversation, event: ConversationEvent): Conversation {
  if (event.type === "entry.appended") return conversation.append(frozen(event.entry));
  if (event.type === "entries.replaced")
    return PersistentList.from([...frozen(event.by), ...conversation.toArray(event.count)]);
  const last = conversation.at(-1);
  if (last === undefined) return conversation;
  const extended = { ...last, content: [...last.content, ...event.content] } as Entry;
  return conversation.set(conversation.length - 1, frozen(extended));
}
