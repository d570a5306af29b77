export {
  type JsonCost,
  type JsonEvent,
  parseStdinStreamCommand,
  STDIN_COMMANDS,
  type StdinCommand,
  StdinCommandError,
} from "../../wire/index.ts";
export {
  BASE_CAPABILITIES,
  type ControlEvent,
  DEFAULT_COMMAND_END_MS,
  JSON_PROTOCOL,
  JSON_SCHEMA_VERSION,
  JsonEventEmitter,
  type JsonEventEmitterOptions,
  type TaskTelling,
} from "./emitter.ts";
export { JsonStreamError, type JsonStreamErrorCode } from "./error.ts";
export {
  type ControlFlow,
  isCancellationLikeError,
  isExpectedControlFlowError,
  isNoActiveTaskLikeError,
  isStreamTeardownLikeError,
} from "./like-errors.ts";
export { openedAt } from "./opening.ts";
export { DEFAULT_WAITING_LINES } from "./outlet.ts";
export type { EventClient, EventTask, HeardEvent, ShownChange } from "./sources.ts";
export { shouldSendMessageAsAskResponse } from "./waiting.ts";
