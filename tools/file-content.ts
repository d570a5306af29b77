import type { ImageBlock, TextBlock } from "../machines/conversation/entry.ts";
import { ToolError } from "./error.ts";
import { type CheckedImage, checkImage } from "./image.ts";
import { cutEnd } from "./text.ts";
import { decodeText, EXPECTED_TEXT } from "./text-encoding.ts";

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
 * @throws ToolError `BINARY`, also for a damaged image, `ARGUMENTS_INVALID` for an offset after the end, `TOO_LARGE` for an image
 */
export function formatFile(path: string, bytes: Uint8Array, view: FileView = {}): FileContent {
  const { offset = 1, limit = DEFAULT_LINES, textBytes = DEFAULT_TEXT_BYTES, imageBytes } = view;
  const image = checkImage(bytes, imageBytes);
  if (image !== undefined) return imageContent(path, bytes, image);
  const text = decodeText(bytes);
  if (text === undefined) {
    throw new ToolError(
      "BINARY",
      `'${path}' is a binary file of ${bytes.length} bytes: expected ${EXPECTED_TEXT}, or a png, jpg, gif or webp image. Use a command to inspect it.`,
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
      "ARGUMENTS_INVALID",
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

function imageContent(path: string, bytes: Uint8Array, checked: CheckedImage): FileContent {
  if (!checked.ok) throw new ToolError(checked.code, `'${path}' is an image ${checked.reason}.`);
  const { media_type: media } = checked.image.source;
  return [{ type: "text", text: `File: ${path} (${media}, ${bytes.length} bytes)` }, checked.image];
}
