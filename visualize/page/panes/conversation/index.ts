export { CONVERSATION_MAX_ENTRIES, ConversationPane } from "./pane.tsx";
