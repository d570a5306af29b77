import { textBlock } from "./blocks.ts";
import type { Conversation, EntriesReplaced } from "./conversation.ts";
import type { Entry, ImageBlock, TextBlock, UserBlock } from "./entry.ts";
import { imageLeftOut } from "./notices.ts";

/** The number of entries up to the last one with an image. */
export function entriesWithImages(conversation: Conversation): number {
  for (let position = conversation.length - 1; position >= 0; position -= 1)
    if (hasImage(conversation.at(position))) return position + 1;
  return 0;
}

/** Each image is replaced by a text with the reason, in the messages of the user and in results. */
export function withoutImages(conversation: Conversation, reason: string): EntriesReplaced {
  const count = entriesWithImages(conversation);
  const notice = textBlock(imageLeftOut(reason));
  const by = conversation
    .toArray()
    .slice(0, count)
    .map((entry) => replaced(entry, notice));
  return { type: "entries.replaced", count, by };
}

const hasImage = (entry: Entry | undefined): boolean =>
  entry?.role === "user" &&
  entry.content.some(
    (block) => block.type === "image" || (block.type === "tool_result" && block.content.some(isImage)),
  );

const isImage = ({ type }: TextBlock | ImageBlock): boolean => type === "image";

function replaced(entry: Entry, notice: TextBlock): Entry {
  if (entry.role === "assistant" || !hasImage(entry)) return entry;
  return { ...entry, content: entry.content.map((block) => replacedBlock(block, notice)) };
}

function replacedBlock(block: UserBlock, notice: TextBlock): UserBlock {
  if (block.type === "image") return notice;
  if (block.type !== "tool_result") return block;
  return { ...block, content: block.content.map((part) => (part.type === "image" ? notice : part)) };
}
