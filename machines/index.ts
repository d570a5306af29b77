export type { Artifact, ArtifactLimits } from "./conversation/artifacts.ts";
export { artifactIn, READ_ARTIFACT, wholeFrom, withStubs } from "./conversation/artifacts.ts";
export { imageBlock, textBlock, userText } from "./conversation/blocks.ts";
export { condensed, keptFrom, truncated } from "./conversation/condense.ts";
export type { Conversation, ConversationEvent, EntriesReplaced } from "./conversation/conversation.ts";
export { applyConversationEvent, emptyConversation, entryEvent } from "./conversation/conversation.ts";
export { assertConversation, ConversationError } from "./conversation/conversation-error.ts";
export type {
  AssistantBlock,
  AssistantEntry,
  Entry,
  ImageBlock,
  ImageMediaType,
  OpaqueBlock,
  RedactedThinkingBlock,
  ResponseModel,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
  UserEntry,
} from "./conversation/entry.ts";
export {
  CURRENT_MODE,
  CURRENT_TIME,
  type Environment,
  type EnvironmentSection,
  environmentOf,
  environmentSection,
  environmentText,
  escapeEnvironment,
  namesMode,
  newestEnvironment,
  sectionsIn,
  TODO_LIST,
} from "./conversation/environment.ts";
export { escapeTag } from "./conversation/escape-tag.ts";
export { entriesWithImages, withoutImages } from "./conversation/images.ts";
export { memoize } from "./conversation/memoize.ts";
export {
  approvedWithFeedback,
  backgroundEnded,
  backgroundLost,
  budgetTooSmall,
  callsLimit,
  commandInBackground,
  completionBlocked,
  contextExceeded,
  cutAtLimit,
  cycle,
  denied,
  deniedWithFeedback,
  emptyResult,
  guidance,
  hookText,
  intentSelected,
  interrupted,
  isHookText,
  malformedArguments,
  modeSwitched,
  noToolUsed,
  repetition,
  resumed,
  skippedAfterRejection,
  skippedAfterSubtask,
  subtaskCancelled,
  subtaskDeleted,
  subtaskFailed,
  subtaskFinished,
  subtaskUnavailable,
  toolError,
  uncertain,
  unseenResult,
  userMessage,
  writeWholeFile,
} from "./conversation/notices.ts";
export type { CallOutcome } from "./conversation/pairing.ts";
export { pairResults } from "./conversation/pairing.ts";
export { isOfOtherModel, leftOutOf, sentConversation } from "./conversation/sent.ts";
export { estimateEntries, estimateTokens } from "./conversation/tokens.ts";
export type { ConversationFault, ConversationRules, ConversationViolation } from "./conversation/validate.ts";
export { validateConversation } from "./conversation/validate.ts";
export { frozen } from "./list/frozen.ts";
export { PersistentList } from "./list/list.ts";
export type {
  Answer,
  AnswerHandling,
  AskCategory,
  AskType,
  IdleAsk,
  InteractiveAsk,
  NonBlockingAsk,
  RequiredAction,
  ResumableAsk,
} from "./message/asks.ts";
export {
  ASKS,
  answerHandling,
  isAskType,
  isIdleAsk,
  isInteractiveAsk,
  isNonBlockingAsk,
  isResumableAsk,
} from "./message/asks.ts";
export type { WebviewAction, WebviewButton, WebviewControls } from "./message/controls.ts";
export { webviewControls } from "./message/controls.ts";
export type { AgentStateInfo } from "./message/detect.ts";
export { detectAgentState } from "./message/detect.ts";
export type {
  ElicitationAnswer,
  ElicitationChoice,
  ElicitationField,
  ElicitationRequest,
  ElicitationSchema,
  ElicitedValue,
} from "./message/elicitation.ts";
export { choicesOf, elicitationText } from "./message/elicitation.ts";
export type { EndError, EndErrorCode } from "./message/end-error.ts";
export { endErrorOf } from "./message/end-error.ts";
export { parseJson } from "./message/json.ts";
export type { Log, LogEvent, Messages } from "./message/log.ts";
export { applyLogEvent, emptyLog, positionOf } from "./message/log.ts";
export type {
  AskClosing,
  ClineMessage,
  Denial,
  Draft,
  Patch,
  ProgressStatus,
  RecordPlace,
  SayType,
} from "./message/message.ts";
export { SAYS } from "./message/message.ts";
export type { CancelReason, RequestEnd, RequestInfo } from "./message/request.ts";
export {
  closedRequestText,
  isAmount,
  isRequestMessage,
  isRequestOpen,
  newestRequest,
  openRequestText,
  requestInfo,
} from "./message/request.ts";
export { resultOf } from "./message/result.ts";
export {
  AGENT_LOOP_STATES,
  AgentLoopState,
  dottedPath,
  hasNoWork,
  isAtRest,
  type StateValue,
  topState,
} from "./message/states.ts";
export { StateTracker } from "./message/tracker.ts";
export type { WebviewState } from "./message/webview.ts";
export { detectWebviewState } from "./message/webview.ts";
export { callOfToolActor } from "./task/calls.ts";
export {
  applyEffectResult,
  applyEmitted,
  applyParts,
  type CommitParts,
  emittedBy,
  emptyParts,
  emptyRecordedState,
  FACT_NAMES,
  mergeParts,
  nonEmptyParts,
  partsOf,
} from "./task/commit.ts";
export { EFFECT_KINDS, type EffectKind } from "./task/effect-kinds.ts";
export { ActorNotProvidedError, BrokenInvariantError } from "./task/errors.ts";
export { type HookEnd, hookEnd, recordedContent } from "./task/hook-points.ts";
export { DEFAULT_LIMITS, type TaskLimits } from "./task/limits.ts";
export { DEFAULT_MODE, MODE_SLUG } from "./task/mode.ts";
export {
  fromPassive,
  isPassivatable,
  type PassiveTask,
  type RecordedLists,
  toPassive,
} from "./task/passivation.ts";
export { DEFAULT_PROFILE, hasProfile, profileNames, selectedModel, selectedProfile } from "./task/profile.ts";
export { addCost, addUsage, NO_USAGE } from "./task/request.ts";
export { nextStep, type Step } from "./task/schedule.ts";
export { type Settlement, settleRecorded } from "./task/settlement.ts";
export { type FoundSubtask, type OutcomeFacts, subtaskOutcome, subtaskStep } from "./task/subtask-outcome.ts";
export type * from "./task/task.context.ts";
export type * from "./task/task.events.ts";
export { STOP_REASONS } from "./task/task.events.ts";
export { taskMachine } from "./task/task.machine.ts";
export {
  type ActorInputs,
  type AmendableCall,
  actorsOfKinds,
  type EdgeActors,
  type EdgeLogic,
  type ToolCommand,
} from "./task/task.setup.ts";
export type { TaskJudgeName } from "./task/verdict.ts";
export { callMachine, nextCall } from "./tool-call/call.machine.ts";
export {
  CALL_TABLE,
  type CallAfter,
  type CallTaking,
  type ToolCallEvent,
  type ToolCallEventOf,
  type ToolCallEventType,
} from "./tool-call/call.table.ts";
export type {
  Amendment,
  Approval,
  Arguments,
  CallAsk,
  CallFacts,
  CallIdentity,
  CallIn,
  CallPath,
  Decision,
  Edit,
  Effect,
  Feedback,
  Hooked,
  Input,
  Notice,
  Objection,
  Outcome,
  Phase,
  Proposal,
  RecordedCall,
  Review,
  StartFacts,
  StartJudgement,
  SubtaskOutcome,
  ToolCall,
  ValidReview,
  Verdict,
} from "./tool-call/call.ts";
export { imageBlocks, withFeedback } from "./tool-call/feedback.ts";
export {
  type FileHash,
  type FileWrite,
  type GitHead,
  type LineChange,
  type LineRange,
  lineStats,
} from "./tool-call/file-write.ts";
export { type Grant, largerOf, putBack, shareOf, spend } from "./tool-call/grant.ts";
export type { HookPoint, HookText, HookVerdict } from "./tool-call/hooks.ts";
export { type IntentFinding, selectedIntent, type TaskIntent } from "./tool-call/intent.ts";
export {
  chosenPermissions,
  onlyPermitsMore,
  PERMISSION_MODES,
  type PermissionLevel,
  type PermissionMode,
  type PermissionState,
  type SessionRule,
} from "./tool-call/permissions.ts";
export { identityOf, settledCall, toRecordedCall } from "./tool-call/phases.ts";
