export type { Clock } from "../ports/clock.ts";
export type { ChatModel, ExtraFields, ModelEvent, ModelRequest, ModelTool } from "../ports/model.ts";
export type { ProblemsPort, RepositoryPort, RepositoryRead } from "../ports/repository.ts";
export type { SubtaskPort, SubtaskUnavailable } from "../ports/subtasks.ts";
export type { Expiry } from "./ask/expiry.ts";
export {
  type AnswerRefusal,
  type AnswerResult,
  type AskHandle,
  createOpenAsks,
  type OpenAsks,
} from "./ask/open-asks.ts";
export { CallTracker } from "./calls/call-tracker.ts";
export { KnownVersions } from "./calls/known-versions.ts";
export { type EndedCall, RepeatedEffectError } from "./calls/started-calls.ts";
export type { MentionSources } from "./context/attachments.ts";
export { MENTION_LIMITS, type MentionLimits } from "./context/mention-limits.ts";
export { systemPrompt } from "./context/system-prompt.ts";
export { type EdgeActorCreators, EdgeActorFactory, edgeActors } from "./edge-actors.ts";
export type { EdgeOptions, RequestHead, Requires, TaskEnvironment } from "./environment.ts";
export { HookError } from "./hooks/hook-error.ts";
export { runHook } from "./hooks/run-hook.ts";
export { condenseActor } from "./llm/condense-actor.ts";
export type { LlmLimits } from "./llm/limits.ts";
export { llmActor } from "./llm/llm-actor.ts";
export { modelRefOf } from "./llm/model.ts";
export {
  asModelError,
  causeOf,
  ModelError,
  type ModelErrorCode,
  rootOf,
  streamCut,
} from "./llm/model-error.ts";
export { startWatchdog } from "./llm/watchdog.ts";
export { type Edge, immediateEdge, type Pass, systemClock } from "./protocol/edge.ts";
export { fromEvents, MissingTerminalError, type Protocol, type Scope } from "./protocol/from-events.ts";
export type { Untimed } from "./protocol/released.ts";
export { throwUncaught } from "./protocol/uncaught.ts";
export { waitUntil } from "./protocol/wait-until.ts";
export { within } from "./protocol/within.ts";
export { toolActor } from "./tool/tool.ts";
