import type { MessagesRequest } from "../protocol/index.ts";
import type { Answer, Block, MockScript, Range } from "../script/index.ts";
import type { ChosenTurn } from "./choose-turn.ts";
import { type FullUsage, usageOf } from "./usage.ts";

/** An answer made ready for one request: ids, usage, sizes and the seed are settled. */
export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ReplyBlock[];
  readonly stop: Answer["stop"];
  readonly stopSequence: string | null;
  readonly usage: FullUsage;
  readonly seed: number;
}

export interface ReplyBlock {
  readonly block: Block;
  /** The id of a tool call; empty for other blocks. */
  readonly id: string;
  readonly chunk: Range;
  readonly delayMs: Range;
}

/** Characters a delta, where nothing else is said. */
export const chunkDefault = 20;

export function replyTo(
  request: MessagesRequest,
  script: MockScript,
  { index, rule }: Pick<ChosenTurn, "index" | "rule">,
  answer: Answer,
): Reply {
  const entries = request.messages.filter(({ role }) => role === "assistant").length;
  const taken = new Set(
    request.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ),
  );
  const place = (rule === undefined ? 0 : rule + 1) * 1000 + index;
  return {
    id: `msg_${entries + 1}`,
    model: request.model,
    blocks: answer.blocks.map((block, n) => ({
      block,
      id: block.kind === "tool" ? (block.id ?? freeId(entries * 1000 + n + 1, taken)) : "",
      chunk: block.chunk ?? answer.chunk ?? script.chunk ?? natural(block),
      delayMs: block.delayMs ?? answer.delayMs ?? script.delayMs ?? { min: 0, max: 0 },
    })),
    stop: answer.stop,
    stopSequence: answer.stopSequence,
    usage: usageOf(answer, request),
    seed: Math.imul(script.seed, 0x9e3779b1) + place,
  };
}

/** A shortened history may hold an id that would be next by count: then the first free one above it. */
function freeId(wanted: number, taken: Set<string>): string {
  let n = wanted;
  while (taken.has(`toolu_${n}`)) n += 1;
  taken.add(`toolu_${n}`);
  return `toolu_${n}`;
}

function natural(block: Block): Range {
  const size = ("unit" in block ? block.unit : undefined) ?? chunkDefault;
  return { min: size, max: size };
}
