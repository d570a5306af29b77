import { type ClineMessage, isRequestRow, requestInfo } from "../../machines/message/index.ts";
import type { Usage } from "../../machines/task/index.ts";
import { addUsage, NO_USAGE } from "../../machines/task/index.ts";

/** What a task's requests have used, as their rows tell it. */
export function usageIn(rows: Iterable<ClineMessage>): Usage {
  let total = NO_USAGE;
  for (const row of rows) {
    const info = isRequestRow(row) ? requestInfo(row) : undefined;
    if (info === undefined) continue;
    const { tokensIn = 0, tokensOut = 0, cacheWrites = 0, cacheReads = 0, cost = 0 } = info;
    total = addUsage(total, { tokensIn, tokensOut, cacheWrites, cacheReads, cost });
  }
  return total;
}
