import type { Conversation } from "./conversation.ts";
import type { AssistantBlock, Entry, UserBlock } from "./entry.ts";
import { memoize } from "./memoize.ts";

/** Characters of a token. Code and JSON have fewer than prose: an estimate should rather be too large. */
const CHARS_PER_TOKEN = 3;
/** Tokens of an image of the largest size that a model gets without scaling. */
const IMAGE_TOKENS = 1_600;
/** Characters of an entry and of a block besides their text. */
const FRAME_CHARS = 24;

/** Estimate the tokens of blocks. The usage of a response is exact; this is for what no response has counted yet. */
export function estimateTokens(content: readonly (UserBlock | AssistantBlock)[]): number {
  let chars = FRAME_CHARS;
  let images = 0;
  for (const block of content) {
    if (block.type === "image") images += 1;
    else if (block.type === "tool_result") {
      images += block.content.filter(({ type }) => type === "image").length;
      for (const part of block.content) if (part.type === "text") chars += part.text.length + FRAME_CHARS;
    } else chars += (block.type === "text" ? block.text.length : JSON.stringify(block).length) + FRAME_CHARS;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN) + images * IMAGE_TOKENS;
}

const tokensOfEntry = memoize(({ content }: Entry): number => estimateTokens(content));

/** Estimate the tokens of the entries from `start` up to `end`. */
export function estimateEntries(
  conversation: Conversation,
  start: number,
  end = conversation.length,
): number {
  let tokens = 0;
  for (let position = start; position < end; position += 1) {
    const entry = conversation.at(position);
    if (entry !== undefined) tokens += tokensOfEntry(entry);
  }
  return tokens;
}
