export { isIdleAsk, isInteractiveAsk, isNonBlockingAsk, isResumableAsk } from "../machines/message/asks.ts";
export { type AgentStateInfo, detectAgentState } from "../machines/message/detect.ts";
export { AgentLoopState } from "../machines/message/states.ts";
export { formatErrorText } from "../present/error-text.ts";
export { formatLimit } from "../present/limit.ts";
export { formatRetry } from "../present/retry.ts";
export type { CompactResult } from "../runtime/task/task.ts";
export type { TreeAsk } from "../runtime/task/tree-asks.ts";
export { TaskBridge, type TaskBridgeOptions } from "./bridge/task-bridge.ts";
export { type Connection, type ConnectOptions, connectTask } from "./bridge/task-connection.ts";
export type {
  LifecycleEvent,
  LifecycleEventName,
  LifecycleEventOf,
  TokenUsage,
  ToolUsage,
} from "./lifecycle/events.ts";
export { type Lifecycle, type LifecycleOptions, observeLifecycle } from "./lifecycle/lifecycle.ts";
export { printable, printableOutput } from "./printable/printable.ts";
export type { RemoteProcess } from "./remote/process-output.ts";
export { RemoteError, type RemoteErrorCode } from "./remote/remote-error.ts";
export { connect, REMOTE_ARGUMENTS, RemoteTask } from "./remote/remote-task.ts";
export type { TaskInterface } from "./remote/task-interface.ts";
export { type AnswerWord, answerWord } from "./roo/console/answer-word.ts";
export {
  type AnsweredBy,
  AskDispatcher,
  type AskDispatcherOptions,
  type LeftOpen,
} from "./roo/console/ask-dispatcher.ts";
export {
  type AskContext,
  type AskHandler,
  type AskHandlers,
  type AutoAnswer,
  type AutoAnswers,
  FOLLOWUP_WAIT_MS,
} from "./roo/console/ask-handlers.ts";
export { type BlockingAsk, parseAnswer } from "./roo/console/ask-prompt.ts";
export {
  formatMessage,
  type MessageFormat,
  type MessageFormatter,
} from "./roo/console/message-format.ts";
export { OutputManager, type OutputManagerOptions } from "./roo/console/output-manager.ts";
export {
  PromptManager,
  type PromptManagerOptions,
  type PromptReply,
  type QuestionOptions,
} from "./roo/console/prompt-manager.ts";
export { StreamedText } from "./roo/console/streamed-text.ts";
export { ClientError, type ClientErrorCode } from "./roo/extension/client-error.ts";
export type {
  ClientEvents,
  ModeChange,
  StateChange,
  TaskCompletion,
  WaitingForInput,
} from "./roo/extension/client-events.ts";
export {
  createClient,
  ExtensionClient,
  type ExtensionClientOptions,
  type SendResult,
} from "./roo/extension/extension-client.ts";
export { MessageProcessor, type MessageProcessorOptions } from "./roo/extension/message-processor.ts";
export type {
  AskResponse,
  ExtensionMessage,
  ExtensionState,
  Refusal,
  Revision,
  WebviewMessage,
} from "./roo/extension/messages.ts";
export { Observable, type Observer } from "./roo/extension/observable.ts";
export { StateStore, type StateStoreOptions } from "./roo/extension/state-store.ts";
export type { StoreState } from "./roo/extension/store-state.ts";
export {
  isSignificantStateChange,
  streamingEnded,
  streamingStarted,
  taskCompleted,
  transitionedToRunning,
  transitionedToWaiting,
} from "./roo/extension/transitions.ts";
export { TypedEventEmitter } from "./roo/extension/typed-event-emitter.ts";
export { shouldSendMessageAsAskResponse } from "./roo/ndjson/ask-response.ts";
export {
  type ControlFlow,
  type ControlOperation,
  isCancellationLikeError,
  isExpectedControlFlowError,
  isNoActiveTaskLikeError,
  isStreamTeardownLikeError,
} from "./roo/ndjson/control-flow-errors.ts";
export type { TaskChange } from "./roo/ndjson/event-sources.ts";
export {
  BASE_CAPABILITIES,
  JsonEventEmitter,
  type JsonEventEmitterOptions,
} from "./roo/ndjson/json-event-emitter.ts";
export { JsonStreamError, type JsonStreamErrorCode } from "./roo/ndjson/line-writer.ts";
export { openedAt } from "./roo/ndjson/task-log.ts";
export { suffixOf } from "./text-change.ts";
