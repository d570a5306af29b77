export { type LlmOptions, llmActor } from "./llm-actor.ts";
export type { ChatModel, ModelEvent, ModelRequest, ModelTool } from "./model.ts";
export {
  asModelError,
  causeOf,
  ModelError,
  type ModelErrorCode,
  streamCut,
} from "./model-error.ts";
export { startWatchdog } from "./watchdog.ts";
