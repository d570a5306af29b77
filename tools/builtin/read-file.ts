import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { DEFAULT_LINES, formatFile } from "../file-content.ts";
import type { DescribePorts } from "../ports.ts";
import type { Description } from "../tool.ts";

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
  files: ({ path }) => [path],
  describe,
  run: async ({ path, offset, limit }, { workspace }) => {
    const lines = { offset: offset ?? 1, limit: limit ?? DEFAULT_LINES };
    return { content: formatFile(path, await workspace.read(path), lines) };
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
