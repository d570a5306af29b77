import { z } from "zod";
import { type Artifact, READ_ARTIFACT } from "../../machines/conversation/artifacts.ts";
import type { KeptOutput } from "../../ports/artifacts.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import { characterBoundaryAfter, textPart } from "../text.ts";
import type { Tool, ToolResult } from "../tool.ts";

/** Options of the tool `read_artifact`. */
export interface ArtifactOptions {
  /** Maximum characters that one call returns. Default 50,000. */
  readonly maxChars?: number;
}

/** Reads a tool result again: an old one is sent only as a stub. Offered to a task whose limits say so. */
export function readArtifact({ maxChars = 50_000 }: ArtifactOptions = {}): Tool {
  const input = z.object({
    id: z.string().min(1).describe("The id, as the notice in place of the result or output names it."),
    offset: z
      .int()
      .min(0)
      .nullish()
      .describe(
        "The first character to read, or the first byte of a command's full output, counted from 0. Default 0.",
      ),
    limit: z.int().min(1).nullish().describe(`The most characters to read. Default and maximum ${maxChars}.`),
  });
  return {
    ...defineTool({
      name: READ_ARTIFACT,
      displayName: "Read artifact",
      group: "read",
      effect: "reads",
      description:
        "Reads the result of an earlier tool call again, or the full output of a command, where a notice in its place names an id. It is the result as it was then: a file may have changed since.",
      inputSchema: input,
      partial: (raw) => {
        const id = textOf(raw, "id");
        return id === undefined ? undefined : descriptor(id, PARTIAL_MAX_BYTES);
      },
      describe: ({ id }) => descriptor(id),
      execute: async ({ id, offset, limit }, { artifacts }) => {
        const [start, max] = [offset ?? 0, Math.min(limit ?? maxChars, maxChars)];
        const artifact = artifacts?.read(id);
        if (artifact !== undefined) return part(artifact, start, max);
        const output = await artifacts?.output?.(id);
        if (output !== undefined) return outputPart(output, start, max);
        throw new ToolError("NOT_FOUND", unknownId(id));
      },
    }),
    requires: "artifacts",
  };
}

const descriptor = (id: string, maxBytes?: number): string =>
  boundedDescriptor({ tool: "readArtifact", artifact: id }, maxBytes);

const unknownId = (id: string): string =>
  `There is no artifact '${id}' in the conversation. Use an id that a notice in place of a tool result names. ` +
  "If the conversation was condensed since, its earlier results can no longer be read: call the tool that " +
  "returned it again.";

/** A part of the text, unchanged, and where it is if it is not all. The images come with the first part. */
function part({ text, images }: Artifact, offset: number, limit: number): ToolResult {
  if (offset > 0 && offset >= text.length)
    throw new ToolError(
      "ARGUMENTS_INVALID",
      `The offset ${offset} is behind the end: the artifact has ${text.length} characters.`,
    );
  const { text: shown, end } = textPart(text, offset, limit);
  const content = [{ type: "text" as const, text: shown }];
  const next = end < text.length ? ` Continue with the offset ${end}.` : "";
  const note = `[Characters ${offset} to ${end} of ${text.length}.${next}]`;
  if (end - offset < text.length) content.push({ type: "text", text: note });
  return { content: [...content, ...(offset === 0 ? images : [])] };
}

/** Most bytes of a character in UTF-8. */
const CHARACTER_BYTES = 4;

/** A part of an output, in whole characters, and where it is. Only that part is read. */
async function outputPart({ bytes, read }: KeptOutput, offset: number, limit: number): Promise<ToolResult> {
  if (offset > 0 && offset >= bytes)
    throw new ToolError(
      "ARGUMENTS_INVALID",
      `The offset ${offset} is behind the end: the output has ${bytes} bytes.`,
    );
  // More than a part can have: a character that is cut at their end is behind the part.
  const found = await firstBytes(read(offset), (limit + 1) * CHARACTER_BYTES);
  const start = offset === 0 ? 0 : offset + characterBoundaryAfter(found, 0);
  const known = found.toString("utf8", start - offset);
  const { text, end: chars } = textPart(known, 0, limit);
  const isLast = chars === known.length && offset + found.length === bytes;
  const end = isLast ? bytes : start + Buffer.byteLength(text);
  const next = end < bytes ? ` Continue with the offset ${end}.` : "";
  const note = { type: "text" as const, text: `[Bytes ${start} to ${end} of ${bytes}.${next}]` };
  return { content: [{ type: "text", text }, ...(end - start < bytes ? [note] : [])] };
}

async function firstBytes(chunks: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    found.push(chunk.subarray(0, max - bytes));
    bytes += Math.min(chunk.length, max - bytes);
    if (bytes >= max) break;
  }
  return Buffer.concat(found);
}
