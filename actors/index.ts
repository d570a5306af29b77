export type { SubtaskPort, SubtaskUnavailable } from "../ports/index.ts";
export {
  type AnswerRefusal,
  type AnswerResult,
  type AskHandle,
  createOpenAsks,
  type Expiry,
  type OpenAsks,
} from "./ask/index.ts";
export {
  MENTION_LIMITS,
  type MentionLimits,
  type MentionSources,
  type ProblemsPort,
  type RepositoryPort,
  type RepositoryRead,
  systemPrompt,
} from "./context/index.ts";
export {
  type EdgeActorCreators,
  EdgeActorFactory,
  type EdgeOptions,
  edgeActors,
  type LlmLimits,
} from "./edge-actors.ts";
export { HookError, runHook } from "./hooks/index.ts";
export * from "./llm/index.ts";
export {
  type Clock,
  type Edge,
  fromEvents,
  immediateEdge,
  MissingTerminalError,
  type Pass,
  type Protocol,
  type Scope,
  systemClock,
  throwUncaught,
  type Untimed,
  waitUntil,
  within,
} from "./protocol/index.ts";
export {
  CallTracker,
  CommandTracker,
  type EndedCall,
  KnownVersions,
  RepeatedEffectError,
  toolActor,
} from "./tool/index.ts";
