export { type ContextOptions, contextActor } from "./context.ts";
export { type PromptOptions, systemPrompt } from "./system-prompt.ts";
