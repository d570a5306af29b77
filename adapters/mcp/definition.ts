import { digestOf } from "../../actors/review/digest.ts";
import { escapeTag } from "../../machines/conversation/escape-tag.ts";
import { cutEnd } from "../../tools/text.ts";
import type { McpToolDefinition } from "./connection.ts";

/** SHA-256 of what a server says about a tool, in hexadecimal: a decision about a call is bound to it (L7). */
export const definitionDigest = ({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: McpToolDefinition): string => digestOf(name, { title, description, inputSchema, annotations });

/** The server's description for the model, bounded. */
export function modelDescription(
  server: string,
  { title = "", description = title }: McpToolDefinition,
  maxBytes: number,
): string {
  const text = harmless(cutEnd(description, maxBytes));
  return `A tool of the MCP server ${JSON.stringify(server)}. The server describes it: ${text}`;
}

/** Keys that endpoints reject at the top of a schema. The server checks what they demand. */
const REJECTED: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
]);

/** The schema of the arguments for the model. */
export const modelSchema = ({ inputSchema }: McpToolDefinition): McpToolDefinition["inputSchema"] =>
  Object.fromEntries(Object.entries(inputSchema).filter(([key]) => !REJECTED.has(key)));

/** Elements of a conversation that are not text of a server. */
const ELEMENTS = "(?:environment_details|user_message|conversation_summary)";

/** Text of a server that does not look like another part of the conversation. */
export const harmless = (text: string): string => escapeTag(ELEMENTS, text.toWellFormed());
