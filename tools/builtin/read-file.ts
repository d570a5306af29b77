import { z } from "zod";
import type { Amendment, Input } from "../../machines/tool-call/call.ts";
import type { ResolvedPath, Workspace } from "../../ports/workspace.ts";
import { type Amended, defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { formatError, ToolError } from "../error.ts";
import { DEFAULT_LINES, DEFAULT_TEXT_BYTES, formatFile } from "../file-content.ts";
import type { Description, ToolResult } from "../tool.ts";

/** Maximum number of files in one call. */
const FILES_MAX = 50;
/** Maximum number of line ranges of one file. */
const RANGES_MAX = 20;

const line = z.int().min(1);

const input = z
  .object({
    path: z.string().min(1).nullish().describe("The file, relative to the workspace. Not with files."),
    offset: line.nullish().describe("The first line to read of path, counted from 1."),
    limit: line.nullish().describe(`The most lines to read of path. Default ${DEFAULT_LINES}.`),
    files: z
      .array(
        z.object({
          path: z.string().min(1).describe("A file, relative to the workspace."),
          line_ranges: z
            .array(z.array(line).length(2))
            .max(RANGES_MAX)
            .nullish()
            .describe("Parts of it, each [first line, last line]. Default: its beginning."),
        }),
      )
      .min(1)
      .max(FILES_MAX)
      .nullish()
      .describe("Several files, in place of path."),
  })
  .refine(({ path, files }) => (path == null) !== (files == null), {
    path: ["path"],
    error: "a string, or files in place of it",
  });
type ReadInput = z.output<typeof input>;

/** A part of a file. Without `limit` it has the default number of lines. */
interface Range {
  readonly offset: number;
  readonly limit?: number;
}

/** A file to read. Without ranges: its beginning. */
interface WantedFile {
  readonly path: string;
  readonly ranges: readonly Range[];
}

/** Reads text files with line numbers, or images. */
export const readFile = defineTool({
  name: "read_file",
  displayName: "Read file",
  group: "read",
  effect: "reads",
  description:
    "Reads a file of the workspace, or with files several at once. Text comes with line numbers; offset and limit, or line_ranges, choose parts of a long file. png, jpg, gif and webp files come as images. Other binary files are rejected.",
  inputSchema: input,
  partial: partialDescriptor,
  files: (given) => wantedFiles(given).map(({ path }) => path),
  amend: (given, amendment) => chosenFiles(wantedFiles(given), amendment),
  describe: (given, { workspace }) => describe(wantedFiles(given), workspace),
  execute: (given, { workspace }) => readFiles(wantedFiles(given), workspace),
});

function wantedFiles({ path, offset, limit, files }: ReadInput): readonly WantedFile[] {
  if (path != null) {
    const part = { offset: offset ?? 1, ...(limit != null && { limit }) };
    return [{ path, ranges: offset == null && limit == null ? [] : [part] }];
  }
  return merged(
    (files ?? []).map((file) => ({ path: file.path, ranges: (file.line_ranges ?? []).map(toRange) })),
  );
}

const toRange = ([first = 1, last = first]: readonly number[]): Range => ({
  offset: Math.min(first, last),
  limit: Math.abs(last - first) + 1,
});

/** One entry for each path. */
function merged(files: readonly WantedFile[]): readonly WantedFile[] {
  const byPath = new Map<string, readonly Range[]>();
  for (const { path, ranges } of files) byPath.set(path, [...(byPath.get(path) ?? []), ...ranges]);
  return [...byPath].map(([path, ranges]) => ({ path, ranges }));
}

function partialDescriptor(raw: Input): string | undefined {
  const path = textOf(raw, "path");
  if (path !== undefined) return boundedDescriptor({ tool: "readFile", path }, PARTIAL_MAX_BYTES);
  const { files } = raw;
  const paths = Array.isArray(files) ? files.flatMap((file: unknown) => partialPath(file) ?? []) : [];
  if (paths.length === 0) return undefined;
  return boundedDescriptor(
    { tool: "readFile", batchFiles: paths.map((each) => ({ path: each })) },
    PARTIAL_MAX_BYTES,
  );
}

const partialPath = (file: unknown): string | undefined =>
  typeof file === "object" && file !== null && "path" in file && typeof file.path === "string"
    ? file.path
    : undefined;

async function describe(files: readonly WantedFile[], workspace: Workspace): Promise<Description> {
  const paths = await Promise.all(files.map(({ path }) => workspace.resolve(path)));
  const [file, ...others] = files;
  const [named] = paths;
  if (file !== undefined && named !== undefined && others.length === 0)
    return { text: singleDescriptor(file, named), paths };
  const batchFiles = files.flatMap(({ path, ranges }, index) => {
    const resolved = paths[index];
    if (resolved === undefined) return [];
    const { path: shown, inside } = resolved;
    return [{ path: shown, lineSnippet: snippetOf(ranges), isOutsideWorkspace: !inside, key: path }];
  });
  return {
    text: boundedDescriptor({ tool: "readFile", batchFiles }),
    paths,
    proposal: { kind: "files", paths: files.map(({ path }) => path) },
  };
}

function singleDescriptor({ ranges }: WantedFile, { path, inside, real }: ResolvedPath): string {
  const [first] = ranges;
  return boundedDescriptor({
    tool: "readFile",
    path,
    isOutsideWorkspace: !inside,
    content: real,
    ...(first !== undefined && { reason: snippetOf(ranges), startLine: first.offset }),
  });
}

const snippetOf = (ranges: readonly Range[]): string =>
  ranges.length === 0
    ? ""
    : `lines ${ranges
        .map(({ offset, limit }) => `${offset}-${limit === undefined ? "" : offset + limit - 1}`)
        .join(", ")}`;

async function readFiles(files: readonly WantedFile[], workspace: Workspace): Promise<ToolResult> {
  const parts = files.reduce((sum, { ranges }) => sum + Math.max(1, ranges.length), 0);
  const textBytes = Math.floor(DEFAULT_TEXT_BYTES / Math.max(1, parts));
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0)
    return { content: await contentOf(only, workspace, textBytes) };
  // An error of one file is no reason to withhold the others.
  const read = await Promise.all(
    files.map(async (file) => {
      try {
        return { content: await contentOf(file, workspace, textBytes), failed: false };
      } catch (error) {
        return { content: [note(file.path, `Error: ${formatError(error)}`)], failed: true };
      }
    }),
  );
  return {
    content: read.flatMap(({ content }) => content),
    ...(read.length > 0 && read.every(({ failed }) => failed) && { failed: true }),
  };
}

async function contentOf(
  { path, ranges }: WantedFile,
  workspace: Workspace,
  textBytes: number,
): Promise<ToolResult["content"]> {
  const bytes = await workspace.read(path);
  const parts = ranges.length === 0 ? [{ offset: 1 }] : ranges;
  const content = parts.map((part) => formatFile(path, bytes, { ...part, textBytes }));
  // Every part of an image is the image.
  return content[0]?.some(({ type }) => type === "image") ? content[0] : content.flat();
}

const note = (path: string, text: string) => ({ type: "text" as const, text: `File: ${path}\n${text}` });

const toArguments = ({ path, ranges }: WantedFile) => ({
  path,
  line_ranges: ranges.map(({ offset, limit = DEFAULT_LINES }) => [offset, offset + limit - 1]),
});

/** Whether each file may be read; a path that is left out may not. */
const choices = z.strictObject({ files: z.record(z.string(), z.boolean()) });

/** The read of those files that a person allowed. The others get a result as well. */
function chosenFiles(files: readonly WantedFile[], amendment: Amendment): Amended {
  const paths = files.map(({ path }) => path);
  const parsed = choices.safeParse(amendment);
  if (!parsed.success || paths.length < 2) {
    throw new ToolError(
      "ARGUMENTS_INVALID",
      'expected { "files": { path: whether it may be read } } for a call that reads several files.',
    );
  }
  const chosen = parsed.data.files;
  const foreign = Object.keys(chosen).find((path) => !paths.includes(path));
  if (foreign !== undefined) {
    throw new ToolError(
      "ARGUMENTS_INVALID",
      `the call does not read '${foreign.slice(0, 200)}'; it reads ${paths.join(", ").slice(0, 500)}.`,
    );
  }
  const isAllowed = ({ path }: WantedFile): boolean => Object.hasOwn(chosen, path) && chosen[path] === true;
  const allowed = files.filter(isAllowed);
  const refused = files.filter((file) => !isAllowed(file)).map(({ path }) => path);
  return {
    input: { files: allowed.map(toArguments), refused },
    describe: async ({ workspace }) => ({
      ...(await describe(allowed, workspace)),
      proposal: { kind: "files", paths },
    }),
    execute: async ({ workspace }) => {
      const { content, failed } = await readFiles(allowed, workspace);
      const denied = refused.map((path) => note(path, "Status: Denied by user"));
      return { content: [...content, ...denied], ...(failed === true && { failed }) };
    },
  };
}
