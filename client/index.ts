export { isIdleAsk, isInteractiveAsk, isNonBlockingAsk, isResumableAsk } from "../machines/message/asks.ts";
export { type AgentStateInfo, detectAgentState } from "../machines/message/detect.ts";
export { AgentLoopState } from "../machines/message/states.ts";
export type { CompactResult } from "../runtime/task/task.ts";
export type { TreeAsk } from "../runtime/task/tree-asks.ts";
export { TaskBridge, type TaskBridgeOptions } from "./bridge/task-bridge.ts";
export { type Connection, type ConnectOptions, connectTask } from "./bridge/task-connection.ts";
export { type AnswerWord, answerWord } from "./console/answer-word.ts";
export {
  type AnsweredBy,
  AskDispatcher,
  type AskDispatcherOptions,
  type LeftOpen,
} from "./console/ask-dispatcher.ts";
export {
  type AskContext,
  type AskHandler,
  type AskHandlers,
  type AutoAnswer,
  type AutoAnswers,
  FOLLOWUP_WAIT_MS,
} from "./console/ask-handlers.ts";
export { type BlockingAsk, parseAnswer } from "./console/ask-prompt.ts";
export { formatErrorText } from "./console/error-text.ts";
export { formatLimit } from "./console/limit.ts";
export {
  formatMessage,
  formatRetry,
  type MessageFormat,
  type MessageFormatter,
} from "./console/message-format.ts";
export { OutputManager, type OutputManagerOptions } from "./console/output-manager.ts";
export {
  PromptManager,
  type PromptManagerOptions,
  type PromptReply,
  type QuestionOptions,
} from "./console/prompt-manager.ts";
export { StreamedText } from "./console/streamed-text.ts";
export { ClientError, type ClientErrorCode } from "./extension/client-error.ts";
export type {
  ClientEvents,
  ModeChange,
  StateChange,
  TaskCompletion,
  WaitingForInput,
} from "./extension/client-events.ts";
export {
  createClient,
  ExtensionClient,
  type ExtensionClientOptions,
  type SendResult,
} from "./extension/extension-client.ts";
export { MessageProcessor, type MessageProcessorOptions } from "./extension/message-processor.ts";
export type {
  AskResponse,
  ExtensionMessage,
  ExtensionState,
  Refusal,
  Revision,
  WebviewMessage,
} from "./extension/messages.ts";
export { Observable, type Observer } from "./extension/observable.ts";
export { StateStore, type StateStoreOptions } from "./extension/state-store.ts";
export type { StoreState } from "./extension/store-state.ts";
export {
  isSignificantStateChange,
  streamingEnded,
  streamingStarted,
  taskCompleted,
  transitionedToRunning,
  transitionedToWaiting,
} from "./extension/transitions.ts";
export { TypedEventEmitter } from "./extension/typed-event-emitter.ts";
export type {
  LifecycleEvent,
  LifecycleEventName,
  LifecycleEventOf,
  TokenUsage,
  ToolUsage,
} from "./lifecycle/events.ts";
export { type Lifecycle, type LifecycleOptions, observeLifecycle } from "./lifecycle/lifecycle.ts";
export { shouldSendMessageAsAskResponse } from "./ndjson/ask-response.ts";
export {
  type ControlFlow,
  type ControlOperation,
  isCancellationLikeError,
  isExpectedControlFlowError,
  isNoActiveTaskLikeError,
  isStreamTeardownLikeError,
} from "./ndjson/control-flow-errors.ts";
export type { TaskChange } from "./ndjson/event-sources.ts";
export {
  BASE_CAPABILITIES,
  JsonEventEmitter,
  type JsonEventEmitterOptions,
} from "./ndjson/json-event-emitter.ts";
export { JsonStreamError, type JsonStreamErrorCode } from "./ndjson/line-writer.ts";
export { openedAt } from "./ndjson/task-log.ts";
export { printable, printableOutput } from "./printable/printable.ts";
export type { RemoteProcess } from "./remote/process-output.ts";
export { RemoteError, type RemoteErrorCode } from "./remote/remote-error.ts";
export { connect, REMOTE_ARGUMENTS, RemoteTask } from "./remote/remote-task.ts";
export type { TaskInterface } from "./remote/task-interface.ts";
export { suffixOf } from "./text-change.ts";
