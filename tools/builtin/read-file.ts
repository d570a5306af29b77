import { z } from "zod";
import type { ImageMediaType } from "../../machines/conversation/index.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import type { DescribePorts } from "../ports.ts";
import { cutEnd, decodeText } from "../text.ts";
import type { Description, ToolResult } from "../tool.ts";

/** Default of the `limit` argument. */
const DEFAULT_LINES = 2_000;
/** Maximum bytes of one line. */
const LINE_MAX_BYTES = 2_000;
/** Maximum bytes of text in a result. */
const TEXT_MAX_BYTES = 150_000;
/** Maximum bytes of an image. */
const IMAGE_MAX_BYTES = 3_750_000;

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace."),
  offset: z.int().min(1).nullish().describe("The first line to read, counted from 1."),
  limit: z.int().min(1).nullish().describe(`The most lines to read. Default ${DEFAULT_LINES}.`),
});
type ReadInput = z.output<typeof input>;

/** Reads a text file with line numbers, or an image. */
export const readFile = defineTool({
  name: "read_file",
  displayName: "Read file",
  group: "read",
  effect: "reads",
  description:
    "Reads a file of the workspace. Text comes with line numbers; offset and limit choose a part of a long file. png, jpg, gif and webp files come as images. Other binary files are rejected.",
  input,
  partial: (raw) => {
    const path = textOf(raw, "path");
    return path === undefined ? undefined : boundedDescriptor({ tool: "readFile", path }, PARTIAL_MAX_BYTES);
  },
  describe,
  run: async ({ path, offset, limit }, { workspace }) => {
    const bytes = await workspace.read(path);
    const media = imageType(bytes);
    if (media !== undefined) return image(path, bytes, media);
    const text = decodeText(bytes);
    if (text === undefined) {
      throw new ToolError(
        "binary",
        `'${path}' is a binary file of ${bytes.length} bytes: expected UTF-8 text, or a png, jpg, gif or webp image. Use a command to inspect it.`,
      );
    }
    return { content: [{ type: "text", text: numbered(path, text, offset ?? 1, limit ?? DEFAULT_LINES) }] };
  },
});

async function describe(
  { path, offset, limit }: ReadInput,
  { workspace }: DescribePorts,
): Promise<Description> {
  const named = await workspace.resolve(path);
  const first = offset ?? 1;
  const range = limit == null ? `lines ${first}-` : `lines ${first}-${first + limit - 1}`;
  return {
    text: boundedDescriptor({
      tool: "readFile",
      path: named.path,
      isOutsideWorkspace: !named.inside,
      content: named.real,
      ...(offset == null && limit == null ? {} : { reason: range, startLine: first }),
    }),
    paths: [named],
  };
}

/** Format the lines from `offset` with their numbers. */
function numbered(path: string, text: string, offset: number, limit: number): string {
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
    if (size > TEXT_MAX_BYTES) break;
    shown.push(numberedLine);
  }
  const last = offset + shown.length - 1;
  const more =
    last < lines.length ? `\n[... lines ${last + 1}-${lines.length} not shown: use offset ...]` : "";
  return `File: ${path} (lines ${offset}-${last} of ${lines.length})\n${shown.join("\n")}${more}`;
}

function image(path: string, bytes: Uint8Array, media: ImageMediaType): ToolResult {
  if (bytes.length > IMAGE_MAX_BYTES) {
    throw new ToolError(
      "too_large",
      `'${path}' is an image of ${bytes.length} bytes: at most ${IMAGE_MAX_BYTES} can be shown. Make it smaller first.`,
    );
  }
  return {
    content: [
      { type: "text", text: `File: ${path} (${media}, ${bytes.length} bytes)` },
      {
        type: "image",
        source: { type: "base64", media_type: media, data: Buffer.from(bytes).toString("base64") },
      },
    ],
  };
}

/** Detect the type by the first bytes: the endpoint rejects an image with a wrong media type. */
function imageType(bytes: Uint8Array): ImageMediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}
