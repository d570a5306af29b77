export type { MentionSources } from "./attachments.ts";
export { contextActor } from "./context.ts";
export { intentPart } from "./intent-context.ts";
export { parseMentions } from "./mention.ts";
export type { MentionLimits, ProblemsPort, RepositoryPort, RepositoryRead } from "./mention-ports.ts";
export { MENTION_LIMITS } from "./mention-ports.ts";
export { systemPrompt } from "./system-prompt.ts";
