export { type AnthropicOptions, anthropic, type Effort, type Thinking } from "./anthropic/index.ts";
export { type Fold, type FrameOptions, inFrames } from "./in-frames.ts";
export { type LlmOptions, llmActor } from "./llm-actor.ts";
export type { ChatModel, ModelEvent, ModelRequest, ModelTool } from "./model.ts";
export { ModelError, type ModelErrorOptions } from "./model-error.ts";
export { costOf, NO_USAGE, PRICES, type Price, type PriceTable, priceOf } from "./prices.ts";
