export type { ProblemsPort, RepositoryPort, RepositoryRead } from "../../ports/index.ts";
export type { MentionSources } from "./attachments.ts";
export { contextActor } from "./context.ts";
export { intentPart } from "./intent-context.ts";
export { parseMentions } from "./mention.ts";
export type { MentionLimits } from "./mention-limits.ts";
export { MENTION_LIMITS } from "./mention-limits.ts";
export { systemPrompt } from "./system-prompt.ts";
