/**
 * signalbox: hosts, tasks and their asks, tools and policies, models, journals, errors. What else there is has a
 * subpath of its own (`signalbox/machines`, `signalbox/client`, ...).
 */
export type { AnswerResult } from "./actors/ask/open-asks.ts";
export { HookError } from "./actors/hooks/hook-error.ts";
export { ModelError } from "./actors/llm/model-error.ts";
export { anthropic, openWorkspace, systemShell } from "./adapters/index.ts";
export {
  AgentLoopState,
  type Answer,
  type ClineMessage,
  type ModelRef,
  type TaskLimits,
  type Usage,
} from "./machines/index.ts";
export { SignalboxError } from "./machines/signalbox-error.ts";
export type { ChatModel, ModelEvent, ModelRequest } from "./ports/model.ts";
export { type BreakpointSettings, Breakpoints } from "./runtime/breakpoints/breakpoints.ts";
export { createHost, type Host } from "./runtime/host.ts";
export type { CommonTaskOptions, HostOptions, ReopenOptions, TaskOptions } from "./runtime/options.ts";
export type {
  ApprovalAsk,
  Ask,
  CommandOutputAsk,
  CompletionAsk,
  FailureAsk,
  LimitAsk,
  MistakesAsk,
  QuestionAsk,
  ResumeAsk,
  ResumeCompletedAsk,
} from "./runtime/task/ask.ts";
export { HostError } from "./runtime/task/errors.ts";
export type { RunOptions } from "./runtime/task/run.ts";
export {
  type CompactResult,
  type EditResult,
  type ModeResult,
  type QueueResult,
  Task,
} from "./runtime/task/task.ts";
export type { TaskEnd } from "./runtime/task/task-end.ts";
export type { TaskStreamEvent } from "./runtime/task/task-stream.ts";
export type { TaskCommit, TaskSnapshot } from "./runtime/task/task-view.ts";
export type { TreeAsk } from "./runtime/task/tree-asks.ts";
export { openHistory } from "./runtime/task-history/task-history.ts";
export {
  fileJournal,
  type JournalDriver,
  JournalError,
  memoryJournal,
  type TaskHistory,
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
