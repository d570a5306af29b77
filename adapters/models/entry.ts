import type { ModelFacts } from "./facts.ts";
import type { Price } from "./price.ts";

/** A model of the catalogue, which has a line for each. */
export const model = (
  contextWindow: number,
  maxTokens: number,
  price?: Price,
  long?: Price["long"],
): ModelFacts => ({
  contextWindow,
  maxTokens,
  ...(price !== undefined && { price: { ...price, ...(long !== undefined && { long }) } }),
});

export const rates = (input: number, output: number, cacheWrite: number, cacheRead: number) => ({
  input,
  output,
  cacheWrite,
  cacheRead,
});

/** The rates of a request with more than `above` input tokens. */
export const long = (above: number, ...of: Parameters<typeof rates>) => ({ above, ...rates(...of) });
