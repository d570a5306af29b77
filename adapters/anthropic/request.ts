import type {
  ImageBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  OpaqueBlock,
  TextBlock,
  UserBlock,
} from "../../machines/conversation/entry.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import type { ModelRequest, ModelTool } from "../../ports/model.ts";
import type { Sampling } from "../models/sampling.ts";
import { type CacheTtl, marked, markOf } from "./cache.ts";
import { type Thinking, thinkingOf } from "./thinking.ts";
import { type ServerTool, type ToolOptions, toolOf } from "./tools.ts";

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** The options that format a request. One object per model: lists of tools are formatted once for it. */
export interface BodyOptions extends Sampling {
  readonly model: string;
  /** Tokens of a response, including thinking. */
  readonly maxTokens: number;
  readonly thinking?: Thinking | undefined;
  readonly effort?: Effort | undefined;
  readonly cacheTtl?: CacheTtl | undefined;
  readonly tools?: ToolOptions | undefined;
  readonly serverTools?: readonly ServerTool[] | undefined;
}

/** The SDK sends a text of a stated type as it is. */
export const JSON_BODY = { "content-type": "application/json" };
/** User messages with a cache mark, from the last one: the endpoint permits four marks in all. */
const MARKED_MESSAGES = 2;

/**
 * The body of a request, as JSON. The endpoint caches a prompt up to each mark: the system prompt, the tools and the
 * last two user messages have one, so that a turn reads what the previous turn wrote. Entries and tools are formatted
 * once.
 */
export function bodyOf(request: ModelRequest, options: BodyOptions): string {
  const { model, maxTokens, temperature, topP } = options;
  // JSON has no fields that are undefined.
  const head = { model, max_tokens: maxTokens, stream: true, temperature, top_p: topP } as const;
  return withHead(head, request, options);
}

/** The body of a request for a token count, as JSON: the same request, without what only a response needs. */
export function countBodyOf(request: ModelRequest, options: BodyOptions): string {
  return withHead({ model: options.model }, request, options);
}

type Head = Omit<Partial<MessageCreateParamsStreaming>, "messages" | "tools">;

function withHead(first: Head, request: ModelRequest, options: BodyOptions): string {
  const mark = markOf(options.cacheTtl);
  const system = marked(request.system.filter((text) => text.trim() !== "").map(textOf), mark);
  const head: Head = {
    ...first,
    ...(system.length === 0 ? {} : { system }),
    ...(options.thinking === undefined ? {} : { thinking: thinkingOf(options.thinking) }),
    ...(options.effort === undefined ? {} : { output_config: { effort: options.effort } }),
  };
  const list = toolsText(options)(request.tools);
  const tools = list === "[]" ? "" : `,"tools":${list}`;
  const messages = messageTexts(request.messages, (content) => marked(content, mark));
  return `${JSON.stringify(head).slice(0, -1)}${tools},"messages":[${messages.join(",")}]}`;
}

function messageTexts(entries: readonly Entry[], addMark: (content: UserParam[]) => UserParam[]): string[] {
  let marks = MARKED_MESSAGES;
  const texts: string[] = [];
  for (const entry of withoutTrailingSpace(entries).toReversed()) {
    const mark = marks > 0 && entry.role === "user" && entry.content.some(isNotEmpty);
    if (mark) marks -= 1;
    texts.push(mark ? JSON.stringify(messageOf(entry, addMark)) : messageText(entry));
  }
  return texts.reverse();
}

/** The endpoint continues a paused response only if whitespace does not end it. */
function withoutTrailingSpace(entries: readonly Entry[]): readonly Entry[] {
  const last = entries.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== "assistant" || block?.type !== "text") return entries;
  const text = block.text.trimEnd();
  if (text === block.text) return entries;
  return entries.with(-1, { ...last, content: last.content.with(-1, { ...block, text }) });
}

const messageText = memoize((entry: Entry) => JSON.stringify(messageOf(entry)));
const toolsText = memoize(({ tools: options, serverTools = [], cacheTtl }: BodyOptions) =>
  memoize((tools: readonly ModelTool[]) =>
    JSON.stringify(marked([...serverTools, ...tools.map((tool) => toolOf(tool, options))], markOf(cacheTtl))),
  ),
);

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
