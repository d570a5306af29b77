import { z } from "zod";
import type { FileMatches, SearchResult } from "../../ports/workspace.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";

/** Maximum number of matching lines in a result. */
const MATCHES_MAX = 300;

/** Searches files for a regular expression. */
export const searchFiles = defineTool({
  name: "search_files",
  displayName: "Search files",
  group: "read",
  effect: "reads",
  description: `Searches the files of a folder for a regular expression (Rust syntax) and shows the matching lines, at most ${MATCHES_MAX}, with a line around each. Ignored files are left out, symlinks are not followed, and of binary files only the names are shown.`,
  inputSchema: z.object({
    path: z.string().min(1).describe("The folder, relative to the workspace; '.' is the workspace."),
    regex: z.string().min(1).describe("The regular expression, in Rust syntax."),
    file_pattern: z.string().nullish().describe("A glob that files must match, such as '*.ts'."),
  }),
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    const fields = { tool: "searchFiles", path, regex: textOf(raw, "regex") };
    return boundedDescriptor({ ...fields, filePattern: textOf(raw, "file_pattern") }, PARTIAL_MAX_BYTES);
  },
  describe: async ({ path, regex, file_pattern }, { workspace }) => {
    const named = await workspace.resolve(path);
    const filePattern = file_pattern ?? undefined;
    const fields = { path: named.path, regex, filePattern, isOutsideWorkspace: !named.inside };
    return {
      text: boundedDescriptor({ tool: "searchFiles", ...fields, content: named.real }),
      paths: [named],
    };
  },
  execute: async ({ path, regex, file_pattern }, { workspace, signal }) => {
    const filter = file_pattern == null || file_pattern === "" ? {} : { filePattern: file_pattern };
    return formatResult(await workspace.search({ path, regex, ...filter, limit: MATCHES_MAX, signal }));
  },
});

function formatResult({ files, cut, incomplete = [] }: SearchResult): string {
  const notes = incomplete.map(({ path, reason }) => `- ${path}: ${reason}`);
  const about = notes.length === 0 ? [] : [`Not shown, or not whole:\n${notes.join("\n")}`];
  const lines = files.reduce((sum, file) => sum + file.lines.filter((line) => line.matches).length, 0);
  if (lines === 0) return ["Nothing matches.", ...about].join("\n\n");
  const head = cut
    ? `The first ${lines} matching lines; there are more: narrow the search.`
    : `${lines} matching ${lines === 1 ? "line" : "lines"}.`;
  return [head, ...files.map(formatFile), ...about].join("\n\n");
}

function formatFile({ path, lines }: FileMatches): string {
  const formatted = [`# ${path}`];
  let last: number | undefined;
  for (const { number, text, matches } of lines) {
    if (last !== undefined && number > last + 1) formatted.push("--");
    formatted.push(`${number} ${matches ? ">" : "|"} ${text}`);
    last = number;
  }
  return formatted.join("\n");
}
