import { isAmount } from "../../machines/message/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import { costOf, type Price } from "../models/price.ts";
import { isJson } from "./metadata.ts";

/** The tokens and the cost of a response. Counts that a provider does not have are 0. */
export function usageOf(usage: unknown, price: Price | undefined): Usage {
  const { inputTokens, outputTokens } = isJson(usage) ? usage : { inputTokens: {}, outputTokens: {} };
  const input = isJson(inputTokens) ? inputTokens : {};
  const output = isJson(outputTokens) ? outputTokens : {};
  const cacheReads = amount(input.cacheRead);
  const cacheWrites = amount(input.cacheWrite);
  const tokensIn = isAmount(input.noCache)
    ? input.noCache
    : Math.max(0, amount(input.total) - cacheReads - cacheWrites);
  const counts = { tokensIn, tokensOut: amount(output.total), cacheWrites, cacheReads };
  return { ...counts, cost: costOf(counts, price) };
}

const amount = (value: unknown): number => (isAmount(value) ? value : 0);
