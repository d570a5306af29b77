import type {
  AssistantEntry,
  Entry,
  ImageBlock,
  ResponseModel,
  TextBlock,
  ToolResultBlock,
  UserEntry,
} from "../../machines/conversation/entry.ts";
import type { ChatMessage, Content, ToolCall } from "./eval-log.ts";

/** Replaces a long text by a key, under which it is attached to the sample. */
export type Attach = (text: string) => string;

const whole: Attach = (text) => text;

/** The messages of a conversation. An entry of the user with results is one message for each result, and one for the rest. */
export function chatMessages(entries: Iterable<Entry>, attach: Attach = whole): readonly ChatMessage[] {
  const names = new Map<string, string>();
  const messages: ChatMessage[] = [];
  for (const entry of entries) {
    if (entry.role === "user") messages.push(...userMessages(entry, names, attach));
    else {
      for (const block of entry.content) if (block.type === "tool_use") names.set(block.id, block.name);
      messages.push(assistantMessage(entry, attach));
    }
  }
  return messages;
}

export function assistantMessage({ content, model }: AssistantEntry, attach: Attach = whole): ChatMessage {
  const calls = content.filter((block) => block.type === "tool_use").map((block) => toolCall(block, attach));
  return {
    role: "assistant",
    content: content.flatMap((block) => assistantContent(block, attach)),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(model !== undefined && { model: modelName(model) }),
    source: "generate",
  };
}

/** The name of a model in a log. */
export const modelName = (model: ResponseModel | undefined): string =>
  model === undefined ? "unknown" : `${model.provider}/${model.id}`;

export const toolCall = (
  { id, name, input }: { readonly id: string; readonly name: string; readonly input: ToolCall["arguments"] },
  attach: Attach = whole,
): ToolCall => ({
  id,
  function: name,
  arguments: Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, typeof value === "string" ? attach(value) : value]),
  ),
  type: "function",
});

export const resultContent = (
  blocks: readonly (TextBlock | ImageBlock)[],
  attach: Attach = whole,
): readonly Content[] =>
  blocks.map((block) =>
    block.type === "text"
      ? { type: "text", text: attach(block.text) }
      : {
          type: "image",
          image: attach(`data:${block.source.media_type};base64,${block.source.data}`),
          detail: "auto",
        },
  );

function userMessages(
  { content }: UserEntry,
  names: ReadonlyMap<string, string>,
  attach: Attach,
): readonly ChatMessage[] {
  const results = content.filter((block) => block.type === "tool_result");
  const rest = content.filter((block) => block.type !== "tool_result");
  return [
    ...results.map((block) => toolMessage(block, names.get(block.tool_use_id), attach)),
    ...(rest.length > 0 ? [{ role: "user", content: resultContent(rest, attach) } as const] : []),
  ];
}

function toolMessage(
  { tool_use_id, content, is_error }: ToolResultBlock,
  name: string | undefined,
  attach: Attach,
): ChatMessage {
  return {
    role: "tool",
    content: resultContent(content, attach),
    tool_call_id: tool_use_id,
    ...(name !== undefined && { function: name }),
    ...(is_error === true && { error: { type: "unknown", message: attach(textOf(content)) } }),
  };
}

/** The texts of a content, one below the other. */
export const textOf = (content: AssistantEntry["content"] | readonly (TextBlock | ImageBlock)[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

function assistantContent(block: AssistantEntry["content"][number], attach: Attach): readonly Content[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: attach(block.text) }];
    case "thinking":
      return [
        {
          type: "reasoning",
          reasoning: attach(block.thinking),
          signature: block.signature,
          redacted: false,
        },
      ];
    case "redacted_thinking":
      return [{ type: "reasoning", reasoning: attach(block.data), redacted: true }];
    case "opaque":
      return [{ type: "data", data: block.block }];
    case "tool_use":
      return [];
  }
}
