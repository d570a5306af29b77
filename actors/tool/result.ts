import type { ImageBlock, TextBlock } from "../../machines/conversation/index.ts";
import { cutMiddle, ToolError, type ToolResult } from "../../tools/index.ts";

export interface ResultLimits {
  /** The most bytes of text in one result. Default 200 KB. */
  readonly maxResultBytes?: number;
  /** The most bytes of images, in base64, in one result. Default 10 MB. */
  readonly maxImageBytes?: number;
}

const EMPTY = "(tool did not return anything)";

/** A result within its limits: texts are cut in their middle with a mark, images left out with a note (L14). */
export function boundResult(name: string, result: ToolResult, limits: ResultLimits): ToolResult {
  // A tool may be written in JavaScript: its result is checked before it becomes part of the conversation.
  if (!Array.isArray(result?.content)) {
    throw new ToolError("bad_tool", `${name} gave a result without content: expected text and image blocks.`);
  }
  const maxBytes = limits.maxResultBytes ?? 200_000;
  const content = boundBlocks(result.content, maxBytes, limits.maxImageBytes ?? 10_000_000);
  const { command } = result;
  return {
    ...result,
    content: content.length > 0 ? content : [{ type: "text", text: EMPTY }],
    ...(command === undefined
      ? {}
      : { command: { ...command, output: cutMiddle(command.output, maxBytes) } }),
  };
}

function boundBlocks(
  blocks: ToolResult["content"],
  maxTextBytes: number,
  maxImageBytes: number,
): (TextBlock | ImageBlock)[] {
  let text = maxTextBytes;
  let images = maxImageBytes;
  const bounded: (TextBlock | ImageBlock)[] = [];
  for (const block of blocks) {
    if (block.type === "text") {
      if (block.text === "") continue;
      const size = Buffer.byteLength(block.text);
      bounded.push({ type: "text", text: cutMiddle(block.text, Math.max(0, text)) });
      text -= size;
    } else {
      images -= block.source.data.length;
      bounded.push(images < 0 ? { type: "text", text: "[An image was left out: too large.]" } : block);
    }
  }
  return bounded;
}

/** The texts of a result in one. */
export function textOfResult({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
