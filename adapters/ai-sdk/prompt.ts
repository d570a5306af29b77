import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  OpaqueBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "../../machines/conversation/entry.ts";
import type { ModelRequest, ModelTool } from "../../ports/model.ts";
import type {
  CustomPart,
  FilePart,
  PromptMessage,
  PromptTool,
  ProviderOptions,
  ReasoningFilePart,
  ResponsePart,
  TaggedData,
  TextPart,
  ToolResultPart,
} from "./language-model.ts";
import { type Json, jsonOf, metadataIn, metadataOf } from "./metadata.ts";

/** The parts of a prompt that the versions format in different ways. */
export interface Format<TData, TMore> {
  data(base64: string): TData;
  /** A part that only this version takes back. */
  more(block: OpaqueBlock["block"]): readonly TMore[];
}

export const V3: Format<string, never> = { data: (base64) => base64, more: () => [] };

export const V4: Format<TaggedData, CustomPart | ReasoningFilePart> = {
  data: tagged,
  more: (block) => {
    const { type, kind, data, mediaType } = block;
    if (type === "custom" && isKind(kind)) return [{ type, kind, ...optionsIn(block) }];
    if (type !== "reasoning-file" || typeof data !== "string" || typeof mediaType !== "string") return [];
    return [{ type, data: tagged(data), mediaType, ...optionsIn(block) }];
  },
};

function tagged(data: string): TaggedData {
  return { type: "data", data };
}

/** The system prompt and the conversation of a request. */
export function promptOf<TData, TMore>(
  { system, messages }: ModelRequest,
  format: Format<TData, TMore>,
): PromptMessage<TData, TMore>[] {
  const names = new Map<string, string>();
  const prompt: PromptMessage<TData, TMore>[] = system
    .filter((text) => text.trim() !== "")
    .map((content) => ({ role: "system", content }));
  for (const entry of messages) {
    for (const block of entry.content) if (block.type === "tool_use") names.set(block.id, block.name);
    prompt.push(...messagesOf(entry, names, format));
  }
  return prompt;
}

export const promptTool = ({ name, description, input_schema }: ModelTool): PromptTool => ({
  type: "function",
  name,
  description,
  inputSchema: { ...input_schema },
});

function messagesOf<TData, TMore>(
  entry: Entry,
  names: ReadonlyMap<string, string>,
  format: Format<TData, TMore>,
): PromptMessage<TData, TMore>[] {
  if (entry.role === "assistant") {
    const content = entry.content.flatMap((block) => responsePart(block, format));
    return content.length === 0 ? [] : [{ role: "assistant", content }];
  }
  const results = entry.content.filter((block) => block.type === "tool_result");
  const content = [
    ...results.flatMap((result) => imagesOf(result, format)),
    ...entry.content.filter(isContent).map((block) => contentPart(block, format)),
  ].filter(isNotEmpty);
  return [
    ...(results.length === 0
      ? []
      : [{ role: "tool" as const, content: results.map((result) => resultPart(result, names)) }]),
    ...(content.length === 0 ? [] : [{ role: "user" as const, content }]),
  ];
}

const isContent = (block: UserBlock): block is TextBlock | ImageBlock => block.type !== "tool_result";
/** Endpoints reject empty text. */
const isNotEmpty = (part: TextPart | FilePart<unknown>): boolean => part.type !== "text" || part.text !== "";

function resultPart(result: ToolResultBlock, names: ReadonlyMap<string, string>): ToolResultPart {
  const { tool_use_id: toolCallId, content, is_error: isError } = result;
  const texts = content.map((block) => (block.type === "text" ? block.text : IMAGE_FOLLOWS));
  return {
    type: "tool-result",
    toolCallId,
    toolName: names.get(toolCallId) ?? "unknown",
    output: { type: isError === true ? "error-text" : "text", value: texts.join("\n") },
  };
}

/** Many endpoints take no image in a result: its images follow it as the user's. */
const IMAGE_FOLLOWS = "[The image is in the next message.]";

const imagesOf = <TData>({ content }: ToolResultBlock, format: Format<TData, unknown>): FilePart<TData>[] =>
  content.flatMap((block) => (block.type === "image" ? filePart(block, format) : []));

function contentPart<TData>(
  block: TextBlock | ImageBlock,
  format: Format<TData, unknown>,
): TextPart | FilePart<TData> {
  return block.type === "text" ? { type: "text", text: block.text } : filePart(block, format);
}

function filePart<TData>({ source }: ImageBlock, format: Format<TData, unknown>): FilePart<TData> {
  return { type: "file", data: format.data(source.data), mediaType: source.media_type };
}

function responsePart<TData, TMore>(
  block: AssistantBlock,
  format: Format<TData, TMore>,
): ResponsePart<TData, TMore>[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...optionsIn(block) }];
    case "thinking": {
      const providerOptions = metadataIn(block.signature);
      return [{ type: "reasoning", text: block.thinking, ...(providerOptions && { providerOptions }) }];
    }
    case "tool_use": {
      const { id: toolCallId, name: toolName, input } = block;
      return [{ type: "tool-call", toolCallId, toolName, input, ...optionsIn(block) }];
    }
    case "opaque":
      return opaquePart(block.block, format);
    case "redacted_thinking":
      // This adapter makes none: redacted reasoning is metadata.
      return [];
  }
}

/** A part of a response that is not interpreted, as its provider takes it back. A source is for people only. */
function opaquePart<TData, TMore>(
  block: OpaqueBlock["block"],
  format: Format<TData, TMore>,
): ResponsePart<TData, TMore>[] {
  const { type, toolCallId, toolName, mediaType, data } = block;
  const options = optionsIn(block);
  if (type === "tool-call" && typeof toolCallId === "string" && typeof toolName === "string") {
    const input = typeof block.input === "string" ? parsed(block.input) : block.input;
    return [{ type, toolCallId, toolName, input, providerExecuted: true, ...options }];
  }
  if (type === "tool-result" && typeof toolCallId === "string" && typeof toolName === "string") {
    const value = jsonOf(block.result) ?? null;
    return [{ type, toolCallId, toolName, output: { type: "json", value }, ...options }];
  }
  if (type === "file" && typeof data === "string" && typeof mediaType === "string")
    return [{ type, data: format.data(data), mediaType, ...options }];
  return [...format.more(block)];
}

const isKind = (value: unknown): value is `${string}.${string}` =>
  typeof value === "string" && value.includes(".");

/** The metadata that a block came with. */
function optionsIn(block: Json): { providerOptions?: ProviderOptions } {
  const providerOptions = metadataOf(block.providerMetadata);
  return providerOptions === undefined ? {} : { providerOptions };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
