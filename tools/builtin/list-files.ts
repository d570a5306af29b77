import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";

/** Maximum number of names in a listing. */
const NAMES_MAX = 200;

/** Lists a folder. */
export const listFiles = defineTool({
  name: "list_files",
  displayName: "List files",
  group: "read",
  effect: "reads",
  description: `Lists the names in a folder of the workspace, at most ${NAMES_MAX}; folders end with a slash. Ignored files are left out and symlinks are not followed.`,
  inputSchema: z.object({
    path: z.string().min(1).describe("The folder, relative to the workspace; '.' is the workspace."),
    recursive: z.boolean().nullish().describe("Also list the folders in it. Default false."),
  }),
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    return boundedDescriptor({ tool: kind(raw.recursive === true), path }, PARTIAL_MAX_BYTES);
  },
  describe: async ({ path, recursive }, { workspace }) => {
    const named = await workspace.resolve(path);
    const fields = { path: named.path, isOutsideWorkspace: !named.inside, content: named.real };
    return { text: boundedDescriptor({ tool: kind(recursive === true), ...fields }), paths: [named] };
  },
  execute: async ({ path, recursive }, { workspace }) => {
    const { names, cut } = await workspace.list(path, { recursive: recursive === true, limit: NAMES_MAX });
    if (names.length === 0) return "The folder is empty, or all its files are ignored.";
    const more = cut ? `\n[... only the first ${NAMES_MAX} names: list a subfolder ...]` : "";
    return `${names.join("\n")}${more}`;
  },
});

function kind(recursive: boolean): string {
  return recursive ? "listFilesRecursive" : "listFilesTopLevel";
}
