import type { MessagesRequest } from "../protocol/index.ts";
import type { Answer, Block } from "../script/index.ts";

const charsPerToken = 4;

/** The tokens of a request, estimated. */
export function estimateInput({ system = "", messages, tools = [] }: MessagesRequest): number {
  return tokensOf(JSON.stringify([system, messages, tools]).length);
}

/** The usage that an answer ends with, in the API's shape. */
export function usageOf({ usage, blocks }: Answer, request: MessagesRequest) {
  return {
    input_tokens: usage.input_tokens ?? estimateInput(request),
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? tokensOf(blocks.reduce((sum, block) => sum + charsOf(block), 0)),
  };
}

export type FullUsage = ReturnType<typeof usageOf>;

function charsOf(block: Block): number {
  if (block.kind === "redacted") return block.data.length;
  return block.kind === "tool" ? block.tool.length + block.json.length : block.text.length;
}

const tokensOf = (chars: number) => Math.max(1, Math.ceil(chars / charsPerToken));
