export { type Fold, type FrameOptions, inFrames } from "./in-frames.ts";
export { type LlmOptions, llmActor } from "./llm-actor.ts";
export type { ChatModel, ModelEvent, ModelRequest, ModelTool } from "./model.ts";
export { asModelError, causeOf, ModelError, type ModelErrorOptions, streamCut } from "./model-error.ts";
