export { type AnthropicOptions, anthropic, PUBLIC_API } from "./model.ts";
export { costOf, DEFAULT_MODEL, PRICES, type Price, type PriceTable, priceOf } from "./prices.ts";
export type { Effort, Thinking } from "./request.ts";
