export type { ChatModel, ExtraFields, ModelEvent, ModelRequest, ModelTool } from "../../ports/index.ts";
export { condenseActor } from "./condense-actor.ts";
export { llmActor } from "./llm-actor.ts";
export { modelRefOf } from "./model.ts";
export {
  asModelError,
  causeOf,
  ModelError,
  type ModelErrorCode,
  rootOf,
  streamCut,
} from "./model-error.ts";
export type { LlmOptions } from "./request-actor.ts";
export { startWatchdog } from "./watchdog.ts";
