import type { Usage } from "../../machines/task/task.events.ts";

/** US dollars per million tokens. */
export interface Price extends Rates {
  /** A cache write for an hour. Default: twice `input`. */
  readonly cacheWrite1h?: number | undefined;
  /** Prices of a request that has more than this number of input tokens. Default: the same. */
  readonly long?: (Rates & { readonly above: number }) | undefined;
}

interface Rates {
  readonly input: number;
  readonly output: number;
  /** A cache write; that for five minutes where there are several. */
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

/** Prices by the prefix of a model's name. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Cost of `usage` in US dollars; null, unknown, without a price. */
export function costOf(usage: Omit<Usage, "cost">, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const { tokensIn, tokensOut, cacheWrites, cacheReads } = usage;
  const { long } = price;
  const rates = long !== undefined && tokensIn + cacheWrites + cacheReads > long.above ? long : price;
  const millionths =
    tokensIn * rates.input +
    tokensOut * rates.output +
    cacheWrites * rates.cacheWrite +
    cacheReads * rates.cacheRead;
  return millionths / 1_000_000;
}
