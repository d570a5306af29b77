import { textBlock } from "../../machines/conversation/blocks.ts";
import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "../../machines/conversation/entry.ts";
import { emptyResult } from "../../machines/conversation/notices.ts";
import { contentSchema, entrySchema } from "../entry.ts";
import { excerpt } from "../excerpt.ts";
import { isJson, type Json, without } from "./json.ts";
import type { Report } from "./report.ts";

type Role = Entry["role"];
export type Block = UserBlock | AssistantBlock;

const isBlockOf = (role: Role, value: unknown): value is Block =>
  entrySchema.safeParse({ role, content: [value] }).success;
const isContentBlock = (value: unknown): value is TextBlock | ImageBlock =>
  contentSchema.safeParse([value]).success;
export const isBlank = (text: string): boolean => text.trim() === "";

/**
 * Parse a block of the entry at `index` in a form that the endpoint accepts; `undefined` if there is none (L6). Only the
 * response of a known model may have blocks that are not interpreted: they go back to it alone.
 */
export function parseBlock(
  { role, hasModel }: { readonly role: Role; readonly hasModel: boolean },
  value: unknown,
  index: number,
  report: Report,
): Block | undefined {
  const block = isJson(value) ? normalize(value, role === "assistant" && hasModel, index, report) : value;
  if (!isBlockOf(role, block)) {
    report.add(index, "L6", `An invalid block of the ${role} entry was left out: ${excerpt(value)}.`);
    return undefined;
  }
  const fault = faultOf(block);
  if (fault === undefined) return block;
  report.add(index, "L6", `${fault} was left out.`);
  return undefined;
}

function faultOf(block: Block): string | undefined {
  if (block.type === "text" && isBlank(block.text)) return "An empty text";
  if (block.type === "thinking" && block.signature === "") return "Thinking without a signature";
  if (block.type === "redacted_thinking" && block.data === "") return "Redacted thinking without its data";
  return undefined;
}

/** Types of blocks that are interpreted, in a response or in a user entry. */
const INTERPRETED: ReadonlySet<unknown> = new Set([
  "text",
  "image",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
]);

/** Convert common other forms of a block. */
function normalize(block: Json, mayBeOpaque: boolean, index: number, report: Report): Json {
  if (mayBeOpaque && typeof block.type === "string" && !INTERPRETED.has(block.type))
    return { type: "opaque", block };
  switch (block.type) {
    case "thinking":
      return typeof block.signature === "string" ? block : { ...block, signature: "" };
    case "tool_use":
      if (isJson(block.input)) return block;
      report.add(
        index,
        "format",
        `The arguments of tool call ${excerpt(block.id)} were left out: expected an object, got ${excerpt(block.input)}.`,
      );
      return { ...block, input: {} };
    case "tool_result":
      return normalizeResult(block, index, report);
    default:
      return block;
  }
}

function normalizeResult(block: Json, index: number, report: Report): Json {
  const content = normalizeContent(block, index, report);
  const result = content === block.content ? block : { ...block, content };
  if (block.is_error === undefined || typeof block.is_error === "boolean") return result;
  report.add(index, "format", `The is_error of a tool result was left out: ${excerpt(block.is_error)}.`);
  return without(result, new Set(["is_error"]));
}

/** Normalize the content of a tool result. A valid list is returned unchanged. */
function normalizeContent(block: Json, index: number, report: Report): unknown {
  const { content } = block;
  const id = excerpt(block.tool_use_id);
  if (typeof content === "string" && !isBlank(content)) {
    report.count(index, "format", "Tool results whose text became a text block");
    return [textBlock(content)];
  }
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const kept = parts.filter(isContentBlock).filter((part) => part.type !== "text" || !isBlank(part.text));
  if (kept.length === 0) {
    report.add(index, "L6", `The empty result of ${id} got a notice as content.`);
    return [textBlock(emptyResult())];
  }
  if (kept.length === parts.length) return content;
  report.add(
    index,
    "L6",
    `Empty or unsupported parts of the result of ${id} were left out: ${parts.length - kept.length}.`,
  );
  return kept;
}

/** Convert a tool result without a call to text and images. */
export function resultAsText({ content }: ToolResultBlock): readonly (TextBlock | ImageBlock)[] {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = content.filter((part) => part.type === "image");
  return [textBlock(`Tool result:\n${text}`), ...images];
}
