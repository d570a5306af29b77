export {
  type BreakpointLimits,
  type BreakpointSettings,
  Breakpoints,
  DEFAULT_BREAKPOINT_LIMITS,
  type LiftedBreakpoints,
  type Reached,
} from "./breakpoints.ts";
export { HostError, type HostErrorCode } from "./errors.ts";
export { DEFAULT_SUBTASK_DEPTH } from "./family.ts";
export type { HeldEvent, HeldEvents } from "./held-events.ts";
export { openHistory, type TaskHistory, type TaskHistoryOptions } from "./history.ts";
export { createHost, type Host } from "./host.ts";
export type { HostOptions, ReopenOptions, TaskOptions } from "./host-options.ts";
export type { BrokenLaw, LawCheck, Macrostep, TaskPosition } from "./law-check.ts";
export type { DroppedTail } from "./reopen.ts";
export type { TaskCommit, TaskSnapshot } from "./shown-task.ts";
export {
  type EditResult,
  type ModeResult,
  type QueueResult,
  Task,
  type TaskEnd,
  type TaskParts,
} from "./task.ts";
export {
  type ApprovalAsk,
  type CommandOutputAsk,
  type CompletionAsk,
  type FailureAsk,
  type FollowupAsk,
  followupIn,
  type LimitAsk,
  type MistakesAsk,
  type ResumeAsk,
  type ResumeCompletedAsk,
  type TypedAsk,
  typedAsk,
  type Words,
} from "./typed-ask.ts";
export { DEFAULT_WORD_LIMITS, type WordLimits } from "./words.ts";
