import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "../../machines/conversation/index.ts";
import { emptyResult, textBlock } from "../../machines/conversation/index.ts";
import { contentSchema, entrySchema } from "../entry.ts";
import { shown } from "../error.ts";
import { isJson, type Json, without } from "./indexed.ts";
import type { Report } from "./report.ts";

type Role = Entry["role"];
export type Block = UserBlock | AssistantBlock;

const isBlockOf = (role: Role, value: unknown): value is Block =>
  entrySchema.safeParse({ role, content: [value] }).success;
const isPart = (value: unknown): value is TextBlock | ImageBlock => contentSchema.safeParse([value]).success;
export const isBlank = (text: string): boolean => text.trim() === "";

/** The block `value` of an entry at `index` in a form that the endpoint takes, or none (L6). */
export function blockOf(role: Role, value: unknown, index: number, report: Report): Block | undefined {
  const block = isJson(value) ? formOf(value, index, report) : value;
  if (!isBlockOf(role, block)) {
    report.add(index, "L6", `A block that can't stand in the ${role}'s entry was left out: ${shown(value)}.`);
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

/** What is often written in another form, in ours. */
function formOf(block: Json, index: number, report: Report): Json {
  switch (block.type) {
    case "thinking":
      return typeof block.signature === "string" ? block : { ...block, signature: "" };
    case "tool_use":
      if (isJson(block.input)) return block;
      report.add(
        index,
        "format",
        `The arguments of the call ${shown(block.id)} are no object (${shown(block.input)}); they were left out.`,
      );
      return { ...block, input: {} };
    case "tool_result":
      return resultOf(block, index, report);
    default:
      return block;
  }
}

function resultOf(block: Json, index: number, report: Report): Json {
  const content = contentOf(block, index, report);
  const whole = content === block.content ? block : { ...block, content };
  if (block.is_error === undefined || typeof block.is_error === "boolean") return whole;
  report.add(
    index,
    "format",
    `The is_error of a result can't be ${shown(block.is_error)}, and was left out.`,
  );
  return without(whole, new Set(["is_error"]));
}

/** What a result holds: the very list where nothing is wrong with it. */
function contentOf(block: Json, index: number, report: Report): unknown {
  const { content } = block;
  const id = shown(block.tool_use_id);
  if (typeof content === "string" && !isBlank(content)) {
    report.count(index, "format", "result", (times) =>
      times === 1
        ? "1 result stood as bare text; it became a text block."
        : `${times} results stood as bare text; each became a text block.`,
    );
    return [textBlock(content)];
  }
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const kept = parts.filter(isPart).filter((part) => part.type !== "text" || !isBlank(part.text));
  if (kept.length === 0) {
    report.add(index, "L6", `The result of ${id} is empty; it says so now.`);
    return [textBlock(emptyResult())];
  }
  if (kept.length === parts.length) return content;
  report.add(
    index,
    "L6",
    `Of the result of ${id}, parts that are empty or have no form of ours were left out: ${parts.length - kept.length}.`,
  );
  return kept;
}

/** A result that belongs to no call, as words: nothing that it says is lost. */
export function wordsOf({ content }: ToolResultBlock): readonly (TextBlock | ImageBlock)[] {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = content.filter((part) => part.type === "image");
  return [textBlock(`Tool result:\n${text}`), ...images];
}
