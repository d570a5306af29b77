/**
 * signalbox: hosts, tasks and their asks, tools and policies, models, journals, errors. What else there is has a
 * subpath of its own (`signalbox/machines`, `signalbox/client`, ...).
 */
export { type ChatModel, ModelError, type ModelEvent, type ModelRequest } from "./actors/index.ts";
export {
  type AnthropicOptions,
  anthropic,
  openWorkspace,
  type PriceTable,
  systemShell,
} from "./adapters/index.ts";
export {
  AgentLoopState,
  type Answer,
  type ClineMessage,
  type TaskLimits,
  type Usage,
} from "./machines/index.ts";
export {
  type ApprovalAsk,
  type Ask,
  type BreakpointSettings,
  Breakpoints,
  type CommandOutputAsk,
  type CompletionAsk,
  createHost,
  type EditResult,
  type FailureAsk,
  type FollowupAsk,
  type Host,
  HostError,
  type HostErrorCode,
  type HostOptions,
  type LawCheck,
  type LimitAsk,
  type MistakesAsk,
  type ModeResult,
  openHistory,
  type QueueResult,
  type ReopenOptions,
  type ResumeAsk,
  type ResumeCompletedAsk,
  type RunOptions,
  Task,
  type TaskCommit,
  type TaskEnd,
  type TaskHistory,
  type TaskHistoryOptions,
  type TaskOptions,
  type TaskSnapshot,
  type TaskStreamEvent,
} from "./runtime/index.ts";
export {
  fileJournal,
  type JournalDriver,
  JournalError,
  memoryJournal,
  TaskHistoryError,
  type TaskSummary,
} from "./store/index.ts";
export {
  allowCommands,
  allowEverything,
  allowReadsInside,
  allowSubtasks,
  allowWritesInside,
  askAPerson,
  builtinTools,
  defineTool,
  denyEverything,
  firstOf,
  type Policy,
  type PolicyCall,
  type Shell,
  type Tool,
  ToolError,
  type Workspace,
} from "./tools/index.ts";
