import type { Usage } from "../../machines/task/index.ts";

/**
 * Tokens and their price, for a person: `1.2k in, 340 out, $0.0042`. What came from the cache counts as in. Where
 * there is no price for the model, none is said.
 */
export function sayUsage(usage: Usage): string {
  const tokensIn = usage.tokensIn + usage.cacheReads + usage.cacheWrites;
  const tokens = `${count(tokensIn)} in, ${count(usage.tokensOut)} out`;
  return usage.cost > 0 ? `${tokens}, ${dollars(usage.cost)}` : tokens;
}

function count(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(2)}M`;
}

function dollars(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}
