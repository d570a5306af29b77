import type { AssistantBlock, Entry, UserBlock } from "../../machines/conversation/entry.ts";

type Block = AssistantBlock | UserBlock;
type Part = Readonly<Record<string, unknown>>;

/**
 * The newest messages that fit into `maxChars`, as JSON in the form of the conventions: role and parts. Images are named
 * by their type only, thinking and blocks that are not interpreted are left out.
 */
export function messagesAttribute(entries: readonly Entry[], maxChars: number): string {
  const messages: string[] = [];
  let room = maxChars;
  for (const { role, content } of entries.toReversed()) {
    const message = JSON.stringify({ role, parts: content.flatMap(partsOf) });
    room -= message.length + 1;
    if (room < 0) break;
    messages.unshift(message);
  }
  return `[${messages.join(",")}]`;
}

/** A value as JSON, cut to `maxChars`. */
export function jsonAttribute(value: unknown, maxChars: number): string {
  const json = JSON.stringify(value) ?? "";
  return json.length <= maxChars ? json : `${json.slice(0, maxChars)} [cut: ${json.length} characters]`;
}

function partsOf(block: Block): readonly Part[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", content: block.text }];
    case "image":
      return [{ type: "image", mime_type: block.source.media_type }];
    case "tool_use":
      return [{ type: "tool_call", id: block.id, name: block.name, arguments: block.input }];
    case "tool_result":
      return [
        { type: "tool_call_response", id: block.tool_use_id, response: block.content.flatMap(partsOf) },
      ];
    default:
      return [];
  }
}
