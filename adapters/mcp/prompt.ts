import type { GetPromptResult } from "@modelcontextprotocol/client";
import { parseMentions, withoutMentions } from "../../actors/context/mention.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { cutEnd } from "../../tools/text.ts";
import type { McpListing, McpPrompt } from "./connection.ts";
import type { McpLimits } from "./options.ts";
import { contentOf } from "./result.ts";

/** The prompts of a server, bounded. */
export function usablePrompts(
  listed: readonly McpPrompt[],
  limits: Pick<McpLimits, "prompts" | "descriptionBytes">,
): Pick<McpListing, "prompts" | "problems"> {
  const prompts = listed.slice(0, limits.prompts).map(({ name, description, arguments: all = [] }) => ({
    name,
    ...(description !== undefined && { description: cutEnd(description, limits.descriptionBytes) }),
    arguments: all.map((each) => ({ name: each.name, required: each.required === true })),
  }));
  const problems =
    listed.length > prompts.length
      ? [`It lists ${listed.length} prompts; the ones after ${limits.prompts} are left out.`]
      : [];
  return { prompts, problems };
}

/**
 * The texts of the messages of a prompt. Only a person mentions files: a mention is kept if a value of the input has it,
 * and any other becomes text.
 *
 * @throws ToolError `TOO_LARGE`
 */
export function promptTexts(
  name: string,
  { messages }: GetPromptResult,
  input: Readonly<Record<string, string>>,
  { promptBytes }: Pick<McpLimits, "promptBytes">,
): readonly string[] {
  const texts = messages
    .map(({ content }) => contentOf(content))
    .flatMap((block) => (block.type === "text" ? block.text : []));
  const size = texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  if (size > promptBytes)
    throw new ToolError(
      "TOO_LARGE",
      `The prompt ${JSON.stringify(name)} has ${size} bytes, expected at most ${promptBytes} (the limit promptBytes).`,
    );
  const typed = new Set(Object.values(input).flatMap(mentionsIn));
  return texts.map((text) => withoutMentions(text, typed));
}

const mentionsIn = (text: string): readonly string[] =>
  parseMentions(text).map(({ start, end }) => text.slice(start, end));

/** Bytes of what a server says about a failure. */
const REASON_BYTES = 1_000;

/** The error of a prompt that its server did not return. */
export const promptError = (name: string, cause: unknown): ToolError =>
  new ToolError(
    "FAILED",
    `The MCP server did not return the prompt ${JSON.stringify(name)}: ${cutEnd(messageOf(cause), REASON_BYTES)}`,
    { cause },
  );
