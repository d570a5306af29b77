import type { AssistantBlock } from "../../../machines/conversation/entry.ts";
import type { RawEvent } from "./corpus.ts";
import { rawJson } from "./odd-values.ts";

/** What a response contains. */
interface Contents {
  /** Its texts without white space. */
  readonly text: string;
  readonly calls: number;
  /** Blocks that the runtime does not interpret. */
  readonly opaque: number;
}

const INTERPRETED = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

const textOf = (blocks: readonly string[]): string =>
  blocks
    .map((block) => block.toWellFormed())
    .join("")
    .replaceAll(/\s/g, "");

/** What a client must find in the events of a response, if it accepts them. */
export function readingOf(events: readonly RawEvent[]): Contents {
  const read = events.map(parsed);
  const end = read.findIndex(({ type }) => type === "message_stop");
  const blocks: ParsedBlock[] = [];
  for (const { type, content_block: block, delta } of read.slice(0, end)) {
    if (type === "content_block_start")
      blocks.push({ ...block, text: typeof block?.text === "string" ? block.text : "" });
    const open = blocks.at(-1);
    if (type === "content_block_delta" && open?.type === "text" && delta?.type === "text_delta")
      open.text = `${open.text}${delta.text}`;
  }
  return {
    text: textOf(blocks.flatMap(({ type, text }) => (type === "text" ? [String(text)] : []))),
    // Two calls with one id both run.
    calls: blocks.filter(({ type }) => type === "tool_use").length,
    opaque: blocks.filter(({ type }) => !INTERPRETED.has(String(type))).length,
  };
}

/** What the runtime kept of a response. */
export function contentsOf(content: readonly AssistantBlock[]): Contents {
  const count = (type: string): number => content.filter((block) => block.type === type).length;
  return {
    text: textOf(content.flatMap((block) => (block.type === "text" ? [block.text] : []))),
    calls: count("tool_use"),
    opaque: count("opaque"),
  };
}

interface ParsedBlock {
  readonly type?: unknown;
  text?: unknown;
}

interface ParsedEvent {
  readonly type?: unknown;
  readonly content_block?: ParsedBlock;
  readonly delta?: { readonly type?: unknown; readonly text?: unknown };
}

/** The event as its JSON has it: a response with an event that is no JSON is not accepted. */
function parsed(event: RawEvent): ParsedEvent {
  try {
    return JSON.parse(rawJson(event));
  } catch {
    return {};
  }
}
