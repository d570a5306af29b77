import { posix } from "node:path";
import { z } from "zod";
import type { Workspace } from "../../ports/workspace.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { applyBlocks } from "../diff/apply.ts";
import { amendedEdit } from "./amended-edit.ts";
import { readText } from "./file-before.ts";
import { describeEdit, type FileEdit, pathToEdit, sinceReview, writeEdit } from "./file-edit.ts";

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
The :start_line: and its dashes may be left out where the text stands only once. Line numbers refer to the current file. All blocks are applied or none.`,
  inputSchema: z.object({
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
  describe: ({ path, diff }, { workspace }) =>
    describeEdit(workspace, {
      path,
      tool: "appliedDiff",
      sent: diff,
      edit: (found) => edit(workspace, found, diff),
    }),
  amend: ({ path, diff }, amendment) =>
    amendedEdit({ path, proposed: (before) => applyBlocks(path, before, diff) }, amendment),
  execute: ({ path, diff }, { workspace }) =>
    sinceReview(`'${path}'`, async () => {
      const found = await pathToEdit(workspace, { path });
      return writeEdit(workspace, found, await edit(workspace, found, diff));
    }),
});

async function edit(workspace: Workspace, path: string, diff: string): Promise<FileEdit> {
  const before = await readText(workspace, path);
  return { before, after: applyBlocks(path, before.text, diff) };
}
