import type { ImageBlock, ImageMediaType, TextBlock } from "../machines/conversation/index.ts";
import { ToolError } from "./error.ts";
import { cutEnd, decodeText } from "./text.ts";

/** Lines of a file that are shown by default. */
export const DEFAULT_LINES = 2_000;
/** Bytes of text of a file that are shown by default. */
export const DEFAULT_TEXT_BYTES = 150_000;
/** Maximum bytes of one line. */
const LINE_MAX_BYTES = 2_000;

/** The part of a file that is shown, and its limits. */
export interface FileView {
  /** The first line, counted from 1. Default 1. */
  readonly offset?: number;
  /** Maximum number of lines. Default {@link DEFAULT_LINES}. */
  readonly limit?: number;
  /** Maximum bytes of text. Default {@link DEFAULT_TEXT_BYTES}. */
  readonly textBytes?: number;
  /** Maximum bytes of an image. Default 3,750,000. */
  readonly imageBytes?: number;
}

type FileContent = readonly (TextBlock | ImageBlock)[];

/**
 * A file as the model gets it: text with line numbers, or an image. What is left out is named.
 *
 * @throws ToolError `binary`, `bad_arguments` for an offset after the end, `too_large` for an image
 */
export function formatFile(path: string, bytes: Uint8Array, view: FileView = {}): FileContent {
  const { offset = 1, limit = DEFAULT_LINES, textBytes = DEFAULT_TEXT_BYTES, imageBytes = 3_750_000 } = view;
  const media = imageType(bytes);
  if (media !== undefined) return image(path, bytes, media, imageBytes);
  const text = decodeText(bytes);
  if (text === undefined) {
    throw new ToolError(
      "binary",
      `'${path}' is a binary file of ${bytes.length} bytes: expected UTF-8 text, or a png, jpg, gif or webp image. Use a command to inspect it.`,
    );
  }
  return [{ type: "text", text: numbered(path, text, { offset, limit, textBytes }) }];
}

type Lines = Required<Pick<FileView, "offset" | "limit" | "textBytes">>;

/** Format lines with their numbers. */
function numbered(path: string, text: string, { offset, limit, textBytes }: Lines): string {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return `File: ${path} (empty)`;
  if (offset > lines.length) {
    throw new ToolError(
      "bad_arguments",
      `'${path}' has ${lines.length} lines: expected an offset of at most that, received ${offset}.`,
    );
  }
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const numberedLine = `${offset + shown.length} | ${cutEnd(line.replace(/\r$/, ""), LINE_MAX_BYTES)}`;
    size += Buffer.byteLength(numberedLine) + 1;
    if (size > textBytes) break;
    shown.push(numberedLine);
  }
  const last = offset + shown.length - 1;
  const more =
    last < lines.length ? `\n[... lines ${last + 1}-${lines.length} not shown: use offset ...]` : "";
  return `File: ${path} (lines ${offset}-${last} of ${lines.length})\n${shown.join("\n")}${more}`;
}

function image(path: string, bytes: Uint8Array, media: ImageMediaType, maxBytes: number): FileContent {
  if (bytes.length > maxBytes) {
    throw new ToolError(
      "too_large",
      `'${path}' is an image of ${bytes.length} bytes: at most ${maxBytes} can be shown. Make it smaller first.`,
    );
  }
  return [
    { type: "text", text: `File: ${path} (${media}, ${bytes.length} bytes)` },
    {
      type: "image",
      source: { type: "base64", media_type: media, data: Buffer.from(bytes).toString("base64") },
    },
  ];
}

/** Detect the type by the first bytes: the endpoint rejects an image with a wrong media type. */
export function imageType(bytes: Uint8Array): ImageMediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}
