import { z } from "zod";
import type { CodebaseMatch } from "../../ports/codebase-index.ts";
import type { ResolvedPath, Workspace } from "../../ports/workspace.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import { cutEnd } from "../text.ts";
import type { Tool, ToolResult } from "../tool.ts";

/** Maximum number of results. */
const MATCHES_MAX = 30;
/** Maximum number of results of the index that are looked at. */
const CANDIDATES_MAX = 300;
/** Maximum bytes of the text of one result. */
const TEXT_MAX_BYTES = 3_000;
const QUERY_MAX_CHARS = 4_000;

const matches = z.array(
  z.object({
    path: z.string().min(1).max(4_096),
    startLine: z.int().min(1),
    endLine: z.int().min(1),
    score: z.number(),
    text: z.string(),
  }),
);

/** Finds code by its meaning. Offered to a task that has an index. */
export const codebaseSearch: Tool = {
  ...defineTool({
    name: "codebase_search",
    displayName: "Search the code",
    group: "read",
    effect: "reads",
    description: `Finds parts of the code by their meaning, at most ${MATCHES_MAX}, the best first. Use it before other searches where you don't know the words that the code uses.`,
    inputSchema: z.object({
      query: z.string().min(1).max(QUERY_MAX_CHARS).describe("A description of the code to find."),
      path: z.string().min(1).nullish().describe("The folder to look in; the workspace by default."),
    }),
    partial: (raw) => {
      const query = textOf(raw, "query");
      if (query === undefined) return undefined;
      return boundedDescriptor(
        { tool: "codebaseSearch", query, path: textOf(raw, "path") ?? "." },
        PARTIAL_MAX_BYTES,
      );
    },
    describe: async ({ query, path }, { workspace }) => {
      const named = await workspace.resolve(path ?? ".");
      const fields = { query, path: named.path, isOutsideWorkspace: !named.inside };
      return { text: boundedDescriptor({ tool: "codebaseSearch", ...fields }), paths: [named] };
    },
    execute: async ({ query, path }, { workspace, codebaseIndex, signal }) => {
      if (codebaseIndex === undefined)
        throw new ToolError("NOT_FOUND", "This task has no index. Use search_files instead.");
      const folder = await workspace.resolve(path ?? ".");
      assertInside(folder, workspace);
      const limit = MATCHES_MAX;
      const inFolder = folder.path === "." ? undefined : folder.path;
      const found: unknown = await codebaseIndex.search({ query, path: inFolder, limit, signal });
      return format(query, await usable(parseMatches(found), folder, workspace));
    },
  }),
  requires: "index",
  showsResult: true,
};

function assertInside({ path, inside, ignored }: ResolvedPath, { root }: Workspace): void {
  if (inside && !ignored) return;
  throw new ToolError(
    inside ? "IGNORED" : "OUTSIDE_WORKSPACE",
    inside
      ? `Access to '${path}' is blocked by .rooignore. Search another folder.`
      : `'${path}' is outside the workspace ${root}: expected a folder inside it. Use one.`,
  );
}

function parseMatches(found: unknown): readonly CodebaseMatch[] {
  const some: unknown = Array.isArray(found) ? found.slice(0, CANDIDATES_MAX) : found;
  const parsed = matches.safeParse(some);
  if (parsed.success) return parsed.data;
  throw new ToolError(
    "FAILED",
    "The index returned something else than a list of results with path, startLine, endLine, score and text. Use search_files instead.",
  );
}

/** The results in the folder, without those outside the workspace and those that `.rooignore` denies (L9). */
async function usable(
  found: readonly CodebaseMatch[],
  folder: ResolvedPath,
  workspace: Workspace,
): Promise<readonly CodebaseMatch[]> {
  const kept: CodebaseMatch[] = [];
  for (const match of found) {
    const { path, real, inside, ignored } = await workspace.resolve(match.path);
    if (!inside || ignored || !isBelow(folder.real, real)) continue;
    kept.push({ ...match, path, text: cutEnd(match.text, TEXT_MAX_BYTES) });
    if (kept.length >= MATCHES_MAX) break;
  }
  return kept;
}

const isBelow = (folder: string, real: string): boolean =>
  real === folder || real.startsWith(/[\\/]$/.test(folder) ? folder : `${folder}/`);

function format(query: string, found: readonly CodebaseMatch[]): ToolResult {
  const results = found.map(({ path, score, startLine, endLine, text }) => ({
    filePath: path,
    score,
    startLine,
    endLine,
    codeChunk: text.trim(),
  }));
  const shown = JSON.stringify({ tool: "codebaseSearch", content: { query, results } });
  const text =
    found.length === 0
      ? "Nothing was found. Try other words, or search_files."
      : found.map(formatMatch).join("\n\n");
  return { content: [{ type: "text", text }], found: shown };
}

const formatMatch = ({ path, startLine, endLine, score, text }: CodebaseMatch): string =>
  `# ${path} (lines ${startLine}-${endLine}, score ${score.toFixed(2)})\n${text}`;
