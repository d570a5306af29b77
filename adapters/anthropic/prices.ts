import { factsOf, pricesByPrefix } from "../models/facts.ts";
import type { Price, PriceTable } from "../models/price.ts";
import { MODELS } from "../models/table.ts";
import type { CacheTtl } from "./cache.ts";

/** Default model of the command and the examples. */
export const DEFAULT_MODEL = "claude-sonnet-4-6";

/**
 * Price of a Claude model, by the longest name in `prices`, by prefix, and in {@link MODELS}. Its `cacheWrite` is for
 * `cacheTtl`. Undefined for an unknown model.
 */
export function priceOf(
  model: string,
  prices: PriceTable = {},
  cacheTtl: CacheTtl = "5m",
): Price | undefined {
  const { price } = factsOf(model, MODELS.anthropic, pricesByPrefix(prices));
  if (price === undefined || cacheTtl === "5m") return price;
  return { ...price, cacheWrite: price.cacheWrite1h ?? price.input * 2 };
}
