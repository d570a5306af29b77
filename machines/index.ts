export type { Conversation, ConversationEvent } from "./conversation/conversation.ts";
export { applyConversationEvent, emptyConversation } from "./conversation/conversation.ts";
export { ConversationError } from "./conversation/conversation-error.ts";
export type { Entry, ImageBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "./conversation/entry.ts";
export type { ConversationFault } from "./conversation/validate.ts";
export { validateConversation } from "./conversation/validate.ts";
export { PersistentList } from "./list/list.ts";
export type { Answer, AskType } from "./message/asks.ts";
export type { WebviewControls } from "./message/controls.ts";
export { webviewControls } from "./message/controls.ts";
export type { AgentStateInfo } from "./message/detect.ts";
export { detectAgentState } from "./message/detect.ts";
export type { ElicitationAnswer, ElicitationRequest } from "./message/elicitation.ts";
export type { EndErrorCode } from "./message/end-error.ts";
export type { Log, LogEvent } from "./message/log.ts";
export { applyLogEvent, emptyLog } from "./message/log.ts";
export type { ClineMessage } from "./message/message.ts";
export { AgentLoopState } from "./message/states.ts";
export { StateTracker } from "./message/tracker.ts";
export { detectWebviewState } from "./message/webview.ts";
export { ActorNotProvidedError, BrokenInvariantError } from "./task/errors.ts";
export { DEFAULT_LIMITS, type TaskLimits } from "./task/limits.ts";
export { NO_USAGE } from "./task/request.ts";
export type { TaskContext, TaskInput } from "./task/task.context.ts";
export type {
  AskEvent,
  CheckpointEvent,
  ContextEvent,
  HookEvent,
  LlmEvent,
  ModelRef,
  ReportEvent,
  ReviewEvent,
  SubtaskEvent,
  TaskEmitted,
  TaskEvent,
  ToolEvent,
  Usage,
  UserEvent,
} from "./task/task.events.ts";
export { taskMachine } from "./task/task.machine.ts";
export { type ActorInputs, actorsOfKinds, type EdgeActors } from "./task/task.setup.ts";
export { callMachine } from "./tool-call/call.machine.ts";
export { CALL_TABLE } from "./tool-call/call.table.ts";
export type { Review } from "./tool-call/call.ts";
export type { PermissionMode, SessionRule } from "./tool-call/permissions.ts";
