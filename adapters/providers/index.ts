export { google } from "./google.ts";
export { openai } from "./openai.ts";
export { openAICompatible } from "./openai-compatible.ts";
export type { ProviderModelOptions, ReasoningModelOptions } from "./options.ts";
