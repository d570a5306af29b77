export { CommitMonitor, monitorCommits, type RecordedCommit } from "./commits.ts";
export { monitorConversation, type RecordedBlock, type RecordedEntry } from "./conversation.ts";
export { messageLaws } from "./live.ts";
export { monitorMessages } from "./messages.ts";
export type { LogViolation } from "./violation.ts";
