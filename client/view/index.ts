export { type Connection, type ConnectOptions, connectTask } from "./bridge/connect-task.ts";
export { TaskBridge, type TaskBridgeOptions, type Words as TaskWords } from "./bridge/task-bridge.ts";
export { ClientError, type ClientErrorCode, type RefusalCode } from "./client-error.ts";
export type {
  ClientEvents,
  ModeChange,
  StateChange,
  TaskCompletion,
  WaitingForInput,
} from "./client-events.ts";
export { createClient, createMockClient, type MockClient } from "./create-client.ts";
export { ExtensionClient, type ExtensionClientOptions, type Sent } from "./extension-client.ts";
export type { LogLine } from "./message-log.ts";
export { MessageProcessor, type MessageProcessorOptions } from "./message-processor.ts";
export type {
  AskResponse,
  CommandStatus,
  ExtensionMessage,
  ExtensionState,
  Refusal,
  Revision,
  RowGrowth,
  RowUpdate,
  StatePush,
  WebviewMessage,
} from "./messages.ts";
export { Observable, type Observer } from "./observable.ts";
export { StateStore, type StateStoreOptions, type Told } from "./state-store.ts";
export { type StoreFacts, StoreState } from "./store-state.ts";
export {
  isSignificantStateChange,
  restsOnCompletion,
  streamingEnded,
  streamingStarted,
  taskCompleted,
  transitionedToRunning,
  transitionedToWaiting,
} from "./transitions.ts";
export { type EmitterOptions, type Payload, TypedEventEmitter } from "./typed-event-emitter.ts";
