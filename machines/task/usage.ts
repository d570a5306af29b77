import type { Usage } from "./task.events.ts";

export const NO_USAGE: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  cacheWrites: a.cacheWrites + b.cacheWrites,
  cacheReads: a.cacheReads + b.cacheReads,
  cost: a.cost + b.cost,
});
