export { type AnthropicOptions, anthropic } from "./model.ts";
export type { Effort, Thinking } from "./request.ts";
