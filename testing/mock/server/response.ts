import type { MessagesRequest } from "../protocol/request.ts";
import type { Block, MockScript, Range, ScriptedResponse } from "../script/script.ts";
import type { ChosenTurn } from "./turn-choice.ts";

/** A response prepared for one request, with ids, usage, sizes and seed. */
export interface MockResponse {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ResponseBlock[];
  readonly stop: ScriptedResponse["stop"];
  readonly stopSequence: string | null;
  readonly usage: FullUsage;
  readonly seed: number;
}

export interface ResponseBlock {
  readonly block: Block;
  /** The id of a tool call; empty for other blocks. */
  readonly id: string;
  readonly chunk: Range;
  readonly delayMs: Range;
}

/** Default characters per delta. */
export const chunkDefault = 20;

export function prepareResponse(
  request: MessagesRequest,
  script: MockScript,
  { index, rule }: Pick<ChosenTurn, "index" | "rule">,
  response: ScriptedResponse,
): MockResponse {
  const entries = request.messages.filter(({ role }) => role === "assistant").length;
  const taken = new Set(
    request.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ),
  );
  const seedOffset = (rule === undefined ? 0 : rule + 1) * 1000 + index;
  return {
    id: `msg_${entries + 1}`,
    model: request.model,
    blocks: response.blocks.map((block, n) => ({
      block,
      id: block.kind === "tool" ? (block.id ?? freeId(entries * 1000 + n + 1, taken)) : "",
      chunk: block.chunk ?? response.chunk ?? script.chunk ?? defaultChunk(block),
      delayMs: block.delayMs ?? response.delayMs ?? script.delayMs ?? { min: 0, max: 0 },
    })),
    stop: response.stop,
    stopSequence: response.stopSequence,
    usage: usageOf(response, request),
    seed: Math.imul(script.seed, 0x9e3779b1) + seedOffset,
  };
}

/** The next free tool call id: a shortened conversation may contain the next id by count. */
function freeId(wanted: number, taken: Set<string>): string {
  let n = wanted;
  while (taken.has(`toolu_${n}`)) n += 1;
  taken.add(`toolu_${n}`);
  return `toolu_${n}`;
}

function defaultChunk(block: Block): Range {
  const size = ("unit" in block ? block.unit : undefined) ?? chunkDefault;
  return { min: size, max: size };
}

/** The body of a response to a request that does not stream. */
export function messageBody(message: MockResponse) {
  return {
    id: message.id,
    type: "message",
    role: "assistant",
    model: message.model,
    content: message.blocks.map(contentOf),
    stop_reason: message.stop,
    stop_sequence: message.stopSequence,
    usage: message.usage,
  };
}

function contentOf({ block, id }: ResponseBlock): object {
  if (block.kind === "verbatim") return block.content;
  if (block.kind === "text") {
    const { text, citations } = block;
    return { type: "text", text, ...(citations === undefined ? {} : { citations }) };
  }
  if (block.kind === "thinking") {
    return { type: "thinking", thinking: block.text, signature: block.signature };
  }
  if (block.kind === "redacted") return { type: "redacted_thinking", data: block.data };
  return { type: "tool_use", id, name: block.tool, input: block.input };
}

const charsPerToken = 4;

/** The tokens of a request, estimated. */
export function estimateInput({ system = "", messages, tools = [] }: MessagesRequest): number {
  return tokensOf(JSON.stringify([system, messages, tools]).length);
}

/** The usage of a response, in the API's format. */
export function usageOf({ usage, blocks }: ScriptedResponse, request: MessagesRequest) {
  return {
    ...usage,
    input_tokens: usage.input_tokens ?? estimateInput(request),
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? tokensOf(blocks.reduce((sum, block) => sum + charsOf(block), 0)),
  };
}

export type FullUsage = ReturnType<typeof usageOf>;

function charsOf(block: Block): number {
  if (block.kind === "redacted") return block.data.length;
  if (block.kind === "verbatim") return JSON.stringify(block.content).length;
  return block.kind === "tool" ? block.tool.length + block.json.length : block.text.length;
}

const tokensOf = (chars: number) => Math.max(1, Math.ceil(chars / charsPerToken));
