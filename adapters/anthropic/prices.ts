import type { Usage } from "../../machines/task/index.ts";
import type { CacheTtl } from "./cache.ts";

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** A cache write for five minutes. */
  readonly cacheWrite: number;
  /** A cache write for an hour. Default: twice `input`. */
  readonly cacheWrite1h?: number | undefined;
  readonly cacheRead: number;
}

/** Prices by the prefix of a model's name. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Default model of the command and the examples. */
export const DEFAULT_MODEL = "claude-sonnet-4-6";

/** A cache write for five minutes costs 1.25 times an input token, a cache read a tenth. */
function price(input: number, output: number): Price {
  return { input, output, cacheWrite: input * 1.25, cacheRead: input / 10 };
}

/** List prices of Claude models. They change: the option `prices` takes precedence. */
export const PRICES: PriceTable = {
  "claude-opus-4": price(5, 25),
  "claude-opus-4-0": price(15, 75),
  "claude-opus-4-1": price(15, 75),
  "claude-opus-4-20250514": price(15, 75),
  "claude-4-opus": price(15, 75),
  "claude-sonnet-4": price(3, 15),
  "claude-4-sonnet": price(3, 15),
  "claude-haiku-4": price(1, 5),
  "claude-3-7-sonnet": price(3, 15),
  "claude-3-5-sonnet": price(3, 15),
  "claude-3-5-haiku": price(0.8, 4),
  "claude-3-opus": price(15, 75),
  "claude-3-sonnet": price(3, 15),
  "claude-3-haiku": { input: 0.25, output: 1.25, cacheWrite: 0.3, cacheRead: 0.03 },
};

/**
 * Price of a model: the entry of `extra` and {@link PRICES} with the longest prefix of its name. A prefix does not end
 * within a number: `claude-opus-4-1` is not one of `claude-opus-4-10`. Its `cacheWrite` is that of `cacheTtl`. Undefined
 * for an unknown model.
 */
export function priceOf(model: string, extra: PriceTable = {}, cacheTtl: CacheTtl = "5m"): Price | undefined {
  let best: readonly [name: string, price: Price] | undefined;
  for (const entry of Object.entries({ ...PRICES, ...extra })) {
    const [prefix] = entry;
    if (!model.startsWith(prefix) || /^\d/.test(model.slice(prefix.length))) continue;
    if (best === undefined || prefix.length > best[0].length) best = entry;
  }
  const price = best?.[1];
  if (price === undefined || cacheTtl === "5m") return price;
  return { ...price, cacheWrite: price.cacheWrite1h ?? price.input * 2 };
}

/** Cost of `usage` in US dollars; null, unknown, without a price. */
export function costOf(usage: Omit<Usage, "cost">, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const millionths =
    usage.tokensIn * price.input +
    usage.tokensOut * price.output +
    usage.cacheWrites * price.cacheWrite +
    usage.cacheReads * price.cacheRead;
  return millionths / 1_000_000;
}
