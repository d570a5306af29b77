/** The door of a task's public types. No module behind it needs Node, so clients in a browser import from here. */
export {
  type ApprovalAsk,
  type Ask,
  type AskFacts,
  type CommandOutputAsk,
  type CompletionAsk,
  createAsk,
  type FailureAsk,
  type FollowupAsk,
  type LimitAsk,
  type MistakesAsk,
  type ProposalAmendment,
  type ResumeAsk,
  type ResumeCompletedAsk,
} from "./ask.ts";
export { askList } from "./ask-list.ts";
export { HostError, type HostErrorCode } from "./errors.ts";
export { type MessageChange, messageChanges } from "./message-changes.ts";
export { cancelledBy, continuation, type RunOptions } from "./run.ts";
export {
  type CompactResult,
  type EditResult,
  type EndedSubtask,
  type ModeResult,
  type PermissionChange,
  type PermissionsResult,
  type QueueResult,
  Task,
} from "./task.ts";
export type { TaskEnd } from "./task-end.ts";
export type { TaskStreamEvent } from "./task-stream.ts";
export type { TaskCommit, TaskSnapshot } from "./task-view.ts";
export type { TreeAsk } from "./tree-asks.ts";
export type { UserInput } from "./user-input.ts";
