import type { ImageBlock, TextBlock } from "../../machines/conversation/entry.ts";
import { ToolError } from "../../tools/error.ts";
import { checkImage } from "../../tools/image.ts";
import { cutEnd, cutMiddle } from "../../tools/text.ts";
import type { ToolResult } from "../../tools/tool.ts";

export interface ResultLimits {
  /** Maximum bytes of text in one result. Default 200 KB. */
  readonly maxResultBytes?: number;
  /** Maximum bytes of images, in base64, in one result. Default 10 MB. */
  readonly maxImageBytes?: number;
}

const EMPTY = "(tool did not return anything)";

/** Limit a result: texts are cut in the middle with a mark, images are replaced with a note (L14). */
export function boundResult(name: string, result: ToolResult, limits: ResultLimits): ToolResult {
  // A tool may be written in JavaScript, so its result is checked.
  if (!Array.isArray(result?.content)) {
    throw new ToolError(
      "TOOL_INVALID",
      `${name} returned a result without content: expected text and image blocks.`,
    );
  }
  const maxBytes = limits.maxResultBytes ?? 200_000;
  const content = boundBlocks(result.content, maxBytes, limits.maxImageBytes ?? 10_000_000);
  const { command, found } = result;
  return {
    ...result,
    ...(found === undefined ? {} : { found: cutEnd(String(found), maxBytes).toWellFormed() }),
    content: content.length > 0 ? content : [{ type: "text", text: EMPTY }],
    ...(command === undefined
      ? {}
      : { command: { ...command, output: cutMiddle(command.output, maxBytes).toWellFormed() } }),
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
      bounded.push({ type: "text", text: cutMiddle(block.text, Math.max(0, text)).toWellFormed() });
      text -= size;
    } else {
      images -= block.source.data.length;
      bounded.push(images < 0 ? leftOut("too large") : usable(block));
    }
  }
  return bounded;
}

/** The image, or why no endpoint takes it: it would refuse each later request. */
function usable(image: ImageBlock): TextBlock | ImageBlock {
  const { source } = image;
  const checked = checkImage(Buffer.from(source.data, "base64"), Number.POSITIVE_INFINITY);
  if (checked === undefined) return leftOut("it is none, or of another type than PNG, JPEG, GIF and WebP");
  if (!checked.ok) return leftOut(`it is one ${checked.reason}`);
  return checked.image.source.media_type === source.media_type ? image : checked.image;
}

const leftOut = (why: string): TextBlock => ({ type: "text", text: `[An image was left out: ${why}.]` });

/** The joined texts of a result. */
export function textOfResult({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
