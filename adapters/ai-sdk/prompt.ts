import type { ModelRequest, ModelTool } from "../../actors/llm/index.ts";
import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  OpaqueBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "../../machines/conversation/index.ts";
import type {
  FilePart,
  LanguageModel,
  PromptMessage,
  PromptTool,
  ProviderOptions,
  ResponsePart,
  TextPart,
  ToolResultPart,
} from "./language-model.ts";
import { type Json, jsonOf, metadataIn, metadataOf } from "./metadata.ts";

type Version = LanguageModel["specificationVersion"];

/** The system prompt and the conversation of a request. */
export function promptOf({ system, messages }: ModelRequest, version: Version): PromptMessage[] {
  const names = new Map<string, string>();
  const prompt: PromptMessage[] = system
    .filter((text) => text.trim() !== "")
    .map((content) => ({ role: "system", content }));
  for (const entry of messages) {
    for (const block of entry.content) if (block.type === "tool_use") names.set(block.id, block.name);
    prompt.push(...messagesOf(entry, names, version));
  }
  return prompt;
}

export const promptTool = ({ name, description, input_schema }: ModelTool): PromptTool => ({
  type: "function",
  name,
  description,
  inputSchema: { ...input_schema },
});

function messagesOf(entry: Entry, names: ReadonlyMap<string, string>, version: Version): PromptMessage[] {
  if (entry.role === "assistant") {
    const content = entry.content.flatMap((block) => responsePart(block, version));
    return content.length === 0 ? [] : [{ role: "assistant", content }];
  }
  const results = entry.content.filter((block) => block.type === "tool_result");
  const content = [
    ...results.flatMap((result) => imagesOf(result, version)),
    ...entry.content.filter(isContent).map((block) => contentPart(block, version)),
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
const isNotEmpty = (part: TextPart | FilePart): boolean => part.type !== "text" || part.text !== "";

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

/** Many endpoints take no image in a result: those of a result follow it as the user's. */
const IMAGE_FOLLOWS = "[The image is in the next message.]";

const imagesOf = ({ content }: ToolResultBlock, version: Version): FilePart[] =>
  content.flatMap((block) => (block.type === "image" ? filePart(block, version) : []));

function contentPart(block: TextBlock | ImageBlock, version: Version): TextPart | FilePart {
  return block.type === "text" ? { type: "text", text: block.text } : filePart(block, version);
}

function filePart({ source }: ImageBlock, version: Version): FilePart {
  return { type: "file", data: dataOf(source.data, version), mediaType: source.media_type };
}

const dataOf = (data: string, version: Version): FilePart["data"] =>
  version === "v4" ? { type: "data", data } : data;

function responsePart(block: AssistantBlock, version: Version): ResponsePart[] {
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
      return opaquePart(block.block, version);
    case "redacted_thinking":
      // This adapter makes none: redacted reasoning is metadata.
      return [];
  }
}

/** A part of a response that is not interpreted, as its provider takes it back. A source is for people only. */
function opaquePart(block: OpaqueBlock["block"], version: Version): ResponsePart[] {
  const { type, toolCallId, toolName, kind, mediaType, data } = block;
  const options = optionsIn(block);
  if (type === "tool-call" && typeof toolCallId === "string" && typeof toolName === "string") {
    const input = typeof block.input === "string" ? parsed(block.input) : block.input;
    return [{ type, toolCallId, toolName, input, providerExecuted: true, ...options }];
  }
  if (type === "tool-result" && typeof toolCallId === "string" && typeof toolName === "string") {
    const value = jsonOf(block.result) ?? null;
    return [{ type, toolCallId, toolName, output: { type: "json", value }, ...options }];
  }
  if (type === "custom" && isKind(kind)) return [{ type, kind, ...options }];
  if (typeof data !== "string" || typeof mediaType !== "string") return [];
  if (type === "file") return [{ type, data: dataOf(data, version), mediaType, ...options }];
  return type === "reasoning-file" ? [{ type, data: { type: "data", data }, mediaType, ...options }] : [];
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
