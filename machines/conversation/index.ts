export type { Artifact, ArtifactLimits } from "./artifacts.ts";
export { artifactIn, READ_ARTIFACT, wholeFrom, withStubs } from "./artifacts.ts";
export { imageBlock, textBlock, userText } from "./blocks.ts";
export { condensed, keptFrom, truncated } from "./condense.ts";
export type { Conversation, ConversationEvent, EntriesReplaced } from "./conversation.ts";
export { applyConversationEvent, emptyConversation, entryEvent } from "./conversation.ts";
export { assertConversation, ConversationError } from "./conversation-error.ts";
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
} from "./entry.ts";
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
} from "./environment.ts";
export { escapeTag } from "./escape-tag.ts";
export { entriesWithImages, withoutImages } from "./images.ts";
export { memoize } from "./memoize.ts";
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
} from "./notices.ts";
export type { CallOutcome } from "./pairing.ts";
export { pairResults } from "./pairing.ts";
export { isOfOtherModel, leftOutOf, sentConversation } from "./sent.ts";
export { estimateEntries, estimateTokens } from "./tokens.ts";
export type { ConversationFault, ConversationRules, ConversationViolation } from "./validate.ts";
export { validateConversation } from "./validate.ts";
