import { type ClineMessage, isRequestOpen, requestInfo } from "../../machines/message/index.ts";
import type { Usage } from "../../machines/task/index.ts";
import type { JsonCost } from "../../wire/index.ts";

/** Adds up what requests have used: each once, when its row is closed. */
export class CostMeter {
  #used: Usage;
  #isUsed = false;
  readonly #counted = new Set<number>();

  constructor(before?: Usage) {
    this.#used = before ?? { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
    this.#isUsed = before !== undefined;
  }

  get used(): Usage {
    return this.#used;
  }

  /** Whether there is anything to tell. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  note(row: ClineMessage): void {
    if (isRequestOpen(row) || this.#counted.has(row.ts)) return;
    const info = requestInfo(row);
    if (info === undefined) return;
    this.#counted.add(row.ts);
    this.#isUsed = true;
    const { tokensIn, tokensOut, cacheWrites, cacheReads, cost } = this.#used;
    this.#used = {
      tokensIn: tokensIn + (info.tokensIn ?? 0),
      tokensOut: tokensOut + (info.tokensOut ?? 0),
      cacheWrites: cacheWrites + (info.cacheWrites ?? 0),
      cacheReads: cacheReads + (info.cacheReads ?? 0),
      cost: cost + (info.cost ?? 0),
    };
  }
}

/** What was used, in the words of the protocol. */
export const jsonCost = ({ cost, tokensIn, tokensOut, cacheWrites, cacheReads }: Usage): JsonCost => ({
  totalCost: cost,
  inputTokens: tokensIn,
  outputTokens: tokensOut,
  cacheWrites,
  cacheReads,
});
