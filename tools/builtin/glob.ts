import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";

/** Maximum number of files in a result. */
const FILES_MAX = 200;
/** Maximum length of a pattern. */
const PATTERN_MAX_CHARS = 1_000;

/** Finds files by a glob. */
export const glob = defineTool({
  name: "glob",
  displayName: "Find files",
  group: "read",
  effect: "reads",
  description: `Finds files by a glob such as 'src/**/*.{ts,tsx}', at most ${FILES_MAX}, the last changed first. A glob without a slash finds names in any folder. Ignored files are left out.`,
  inputSchema: z.object({
    pattern: z.string().min(1).max(PATTERN_MAX_CHARS).describe("The glob, with *, **, ?, [...] and {a,b}."),
    path: z.string().min(1).nullish().describe("The folder to look in; the workspace by default."),
  }),
  partial: (raw) => {
    const filePattern = textOf(raw, "pattern");
    if (filePattern === undefined) return undefined;
    const path = textOf(raw, "path") ?? ".";
    return boundedDescriptor({ tool: "globFiles", path, filePattern }, PARTIAL_MAX_BYTES);
  },
  describe: async ({ pattern, path }, { workspace }) => {
    const named = await workspace.resolve(path ?? ".");
    const fields = { path: named.path, filePattern: pattern, isOutsideWorkspace: !named.inside };
    return { text: boundedDescriptor({ tool: "globFiles", ...fields, content: named.real }), paths: [named] };
  },
  execute: async ({ pattern, path }, { workspace, signal }) => {
    const { names, cut } = await workspace.glob({ path: path ?? ".", pattern, limit: FILES_MAX, signal });
    if (names.length === 0) return "No file matches, or all that match are ignored.";
    const more = cut ? `\n[... only the ${FILES_MAX} files that changed last: use a narrower glob ...]` : "";
    return `${names.join("\n")}${more}`;
  },
});
