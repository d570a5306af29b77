import { type ClineMessage, requestInfo } from "../../machines/message/index.ts";
import type { Usage } from "../../machines/task/index.ts";

const NONE: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** Total usage of the requests in a log. */
export function usageOf(messages: readonly ClineMessage[]): Usage {
  let total = NONE;
  for (const message of messages) {
    const info = requestInfo(message);
    if (info === undefined) continue;
    total = {
      tokensIn: sum(total.tokensIn, info.tokensIn),
      tokensOut: sum(total.tokensOut, info.tokensOut),
      cacheWrites: sum(total.cacheWrites, info.cacheWrites),
      cacheReads: sum(total.cacheReads, info.cacheReads),
      cost: sum(total.cost, info.cost),
    };
  }
  return total;
}

/** Ignores values that are not finite: imported messages are not validated. */
const sum = (total: number, more = 0): number => (Number.isFinite(total + more) ? total + more : total);
