import { escapeTag } from "../../machines/conversation/escape-tag.ts";

/** Elements of a conversation that are not text of a server. */
const ELEMENTS = "(?:environment_details|user_message|conversation_summary)";

/** Text of a server that does not look like another part of the conversation. */
export const harmless = (text: string): string => escapeTag(ELEMENTS, text.toWellFormed());
