import type {
  ImageBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelRequest, ModelTool } from "../../actors/llm/index.ts";
import {
  type AssistantBlock,
  type Entry,
  type ImageBlock,
  memoize,
  type OpaqueBlock,
  type TextBlock,
  type UserBlock,
} from "../../machines/conversation/index.ts";

/** How much a model may think before its response. */
export type Thinking =
  | "adaptive"
  | "disabled"
  /** At least 1,024 tokens, and less than `maxTokens`. */
  | { readonly budgetTokens: number };

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface BodyOptions {
  readonly model: string;
  /** Tokens of a response, including thinking. */
  readonly maxTokens: number;
  readonly thinking?: Thinking | undefined;
  readonly effort?: Effort | undefined;
}

const CACHED = { type: "ephemeral" } as const;
/** User messages with a cache mark, from the last one: the endpoint permits four marks in all. */
const MARKED_MESSAGES = 2;

/**
 * The body of a request, as JSON. The endpoint caches a prompt up to each mark: the system prompt, the tools and the
 * last two user messages have one, so that a turn reads what the previous turn wrote. Entries and tools are formatted
 * once.
 */
export function bodyOf(request: ModelRequest, options: BodyOptions): string {
  const system = marked(request.system.filter((text) => text.trim() !== "").map(textOf));
  const head: Omit<MessageCreateParamsStreaming, "messages" | "tools"> = {
    model: options.model,
    max_tokens: options.maxTokens,
    stream: true,
    ...(system.length === 0 ? {} : { system }),
    ...(options.thinking === undefined ? {} : { thinking: thinkingOf(options.thinking) }),
    ...(options.effort === undefined ? {} : { output_config: { effort: options.effort } }),
  };
  const tools = request.tools.length === 0 ? "" : `,"tools":${toolsText(request.tools)}`;
  return `${JSON.stringify(head).slice(0, -1)}${tools},"messages":[${messageTexts(request.messages).join(",")}]}`;
}

function messageTexts(entries: readonly Entry[]): string[] {
  let marks = MARKED_MESSAGES;
  const texts: string[] = [];
  for (const entry of entries.toReversed()) {
    const mark = marks > 0 && entry.role === "user" && entry.content.some(isNotEmpty);
    if (mark) marks -= 1;
    texts.push(mark ? JSON.stringify(messageOf(entry, marked)) : messageText(entry));
  }
  return texts.reverse();
}

const messageText = memoize((entry: Entry) => JSON.stringify(messageOf(entry)));
const toolsText = memoize((tools: readonly ModelTool[]) => JSON.stringify(marked(tools.map(toolOf))));

function messageOf(entry: Entry, mark = (content: UserParam[]): UserParam[] => content): SentMessage {
  return entry.role === "assistant"
    ? { role: "assistant", content: entry.content.filter(isNotEmpty).map(responseBlockOf) }
    : { role: "user", content: mark(entry.content.filter(isNotEmpty).map(userOf)) };
}

/** A block of a response as it came. An opaque one may be of a type that the SDK does not know. */
type ResponseBlock = Exclude<AssistantBlock, OpaqueBlock> | OpaqueBlock["block"];

const responseBlockOf = (block: AssistantBlock): ResponseBlock =>
  block.type === "opaque" ? block.block : block;

/** A `MessageParam` of the SDK, with any block in a response. */
interface SentMessage {
  readonly role: Entry["role"];
  readonly content: readonly (UserParam | ResponseBlock)[];
}

/** The endpoint rejects empty text. */
function isNotEmpty(block: UserBlock | AssistantBlock): boolean {
  return block.type !== "text" || block.text !== "";
}

type UserParam = TextBlockParam | ImageBlockParam | ToolResultBlockParam;

function userOf(block: UserBlock): UserParam {
  if (block.type !== "tool_result") return textOrImageOf(block);
  return {
    type: "tool_result",
    tool_use_id: block.tool_use_id,
    content: block.content.filter(isNotEmpty).map(textOrImageOf),
    ...(block.is_error === undefined ? {} : { is_error: block.is_error }),
  };
}

function textOrImageOf(block: TextBlock | ImageBlock): TextBlockParam | ImageBlockParam {
  return block.type === "text" ? textOf(block.text) : { type: "image", source: { ...block.source } };
}

const textOf = (text: string): TextBlockParam => ({ type: "text", text });

const toolOf = ({ name, description, input_schema }: ModelTool): Tool => ({
  name,
  description,
  input_schema: { ...input_schema, type: "object" },
});

/** Sets a cache mark on the last block. */
function marked<T extends { cache_control?: typeof CACHED | null }>(blocks: readonly T[]): T[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: CACHED } : block,
  );
}

function thinkingOf(thinking: Thinking): NonNullable<MessageCreateParamsStreaming["thinking"]> {
  if (typeof thinking === "string") return { type: thinking };
  return { type: "enabled", budget_tokens: thinking.budgetTokens };
}
