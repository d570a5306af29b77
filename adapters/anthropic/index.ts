export type { CacheTtl } from "./cache.ts";
export { type AnthropicModel, anthropic } from "./model.ts";
export type { AnthropicOptions } from "./options.ts";
export { DEFAULT_MODEL, priceOf } from "./prices.ts";
export type { Effort } from "./request.ts";
export type { Thinking, ThinkingDisplay } from "./thinking.ts";
export type { ServerTool, ToolOptions, ToolSelection } from "./tools.ts";
