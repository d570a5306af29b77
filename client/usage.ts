import type { Usage } from "../machines/task/index.ts";

export const NOTHING: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** What two have used together. */
export const plus = (one: Usage, other: Usage): Usage => ({
  tokensIn: one.tokensIn + other.tokensIn,
  tokensOut: one.tokensOut + other.tokensOut,
  cacheWrites: one.cacheWrites + other.cacheWrites,
  cacheReads: one.cacheReads + other.cacheReads,
  cost: one.cost + other.cost,
});
