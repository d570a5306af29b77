export { type ContextOptions, contextActor } from "./context.ts";
export { type RuleBounds, type RuleFile, readRules } from "./rules.ts";
export { type PromptOptions, systemPrompt } from "./system-prompt.ts";
