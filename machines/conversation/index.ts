export type { Conversation, ConversationEvent } from "./conversation.ts";
export { applyConversationEvent, emptyConversation, saying } from "./conversation.ts";
export type {
  AssistantBlock,
  AssistantEntry,
  Entry,
  ImageBlock,
  ImageMediaType,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
  UserEntry,
} from "./entry.ts";
