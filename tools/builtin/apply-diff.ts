import { posix } from "node:path";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { applyBlocks } from "../diff/apply.ts";
import { changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import type { Workspace } from "../ports.ts";
import { editedFile, fileProposal } from "./edited-file.ts";
import { type FileBefore, fileBefore } from "./file-before.ts";
import { writeResult } from "./write-result.ts";

/** Changes parts of a file by search and replacement. */
export const applyDiff = defineTool({
  name: "apply_diff",
  displayName: "Edit file",
  group: "edit",
  effect: "writes",
  description: `Changes parts of a text file. The diff is one or more blocks:
<<<<<<< SEARCH
:start_line:12
-------
the lines to find, exactly as the file has them
=======
the lines to put there
>>>>>>> REPLACE
The :start_line: and its dashes may be left out where the text stands only once. Line numbers are those of the file as it is now. All blocks are applied or none.`,
  input: z.object({
    path: z.string().min(1).describe("The file, relative to the workspace."),
    diff: z.string().min(1).describe("The search/replace blocks."),
  }),
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    return boundedDescriptor({ tool: "appliedDiff", path, content: textOf(raw, "diff") }, PARTIAL_MAX_BYTES);
  },
  patches: ({ path }) => posix.normalize(path),
  files: ({ path }) => [path],
  describe: async ({ path, diff }, { workspace }) => {
    const named = await workspace.resolve(path);
    const fields = { tool: "appliedDiff", path: named.path, isOutsideWorkspace: !named.inside };
    // Such a file is never read; the review rejects the call by `paths`.
    if (!named.inside || named.ignored)
      return { text: boundedDescriptor({ ...fields, diff }), paths: [named] };
    const before = await textFileAt(workspace, path);
    const after = applyBlocks(path, before.text, diff);
    const change = changeOf(path, before.text, after);
    const shown = { diff: change.diff, content: change.diff, diffStats: change.stats };
    return {
      text: boundedDescriptor({ ...fields, ...shown }),
      paths: [named],
      diff: change.diff,
      ...fileProposal(named.path, before, after),
    };
  },
  amend: ({ path, diff }, amendment) =>
    editedFile({ path, proposed: (before) => applyBlocks(path, before, diff) }, amendment),
  run: async ({ path, diff }, { workspace }) => {
    const before = await textFileAt(workspace, path);
    const after = applyBlocks(path, before.text, diff);
    return writeResult(path, "modified", await workspace.write(path, after));
  },
});

async function textFileAt(
  workspace: Workspace,
  path: string,
): Promise<Extract<FileBefore, { kind: "text" }>> {
  const before = fileBefore(await workspace.read(path));
  if (before.kind !== "text") {
    throw new ToolError(
      "binary",
      `'${path}' is not UTF-8 text, so a diff can't be applied. Write the whole file.`,
    );
  }
  return before;
}
