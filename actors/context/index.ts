export { contextActor } from "./context.ts";
export { systemPrompt } from "./system-prompt.ts";
