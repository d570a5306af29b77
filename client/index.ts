export { isIdleAsk, isInteractiveAsk, isNonBlockingAsk, isResumableAsk } from "../machines/message/asks.ts";
export { TaskBridge, type TaskBridgeOptions } from "./bridge/task-bridge.ts";
export { type Connection, type ConnectOptions, connectTask } from "./bridge/task-connection.ts";
export type { LifecycleEvent, LifecycleEventName } from "./lifecycle/events.ts";
export { type Lifecycle, type LifecycleOptions, observeLifecycle } from "./lifecycle/lifecycle.ts";
export type { RemoteProcess } from "./remote/process-output.ts";
export { RemoteError } from "./remote/remote-error.ts";
export { connect, REMOTE_ARGUMENTS, RemoteTask } from "./remote/remote-task.ts";
export type { TaskInterface } from "./remote/task-interface.ts";
export { AskDispatcher, type AskDispatcherOptions } from "./roo/console/ask-dispatcher.ts";
export type { AskHandlers, AutoAnswers } from "./roo/console/ask-handlers.ts";
export { parseAnswer } from "./roo/console/ask-prompt.ts";
export { formatMessage } from "./roo/console/message-format.ts";
export { OutputManager, type OutputManagerOptions } from "./roo/console/output-manager.ts";
export { PromptManager, type PromptManagerOptions, type PromptReply } from "./roo/console/prompt-manager.ts";
export { ClientError } from "./roo/extension/client-error.ts";
export type { ClientEvents } from "./roo/extension/client-events.ts";
export {
  createClient,
  ExtensionClient,
  type ExtensionClientOptions,
  type SendResult,
} from "./roo/extension/extension-client.ts";
export { MessageProcessor } from "./roo/extension/message-processor.ts";
export type { ExtensionMessage, ExtensionState, WebviewMessage } from "./roo/extension/messages.ts";
export { Observable } from "./roo/extension/observable.ts";
export { StateStore } from "./roo/extension/state-store.ts";
export type { StoreState } from "./roo/extension/store-state.ts";
export {
  streamingEnded,
  streamingStarted,
  taskCompleted,
  transitionedToRunning,
  transitionedToWaiting,
} from "./roo/extension/transitions.ts";
export { TypedEventEmitter } from "./roo/extension/typed-event-emitter.ts";
export { JsonEventEmitter, type JsonEventEmitterOptions } from "./roo/ndjson/json-event-emitter.ts";
export { JsonStreamError } from "./roo/ndjson/line-writer.ts";
