import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { inFormOf } from "../diff/line-ends.ts";
import { amendedEdit } from "./amended-edit.ts";
import { readBefore } from "./file-before.ts";
import { describeEdit, wholeEdit, writeEdit } from "./file-edit.ts";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace. Missing folders are made."),
  content: z.string().describe("The complete content of the file."),
});

/** Writes a whole file. */
export const writeToFile = defineTool({
  name: "write_to_file",
  displayName: "Write file",
  aliases: ["write_file"],
  group: "edit",
  effect: "writes",
  description:
    "Writes a file of the workspace: makes it, or replaces its whole content. Send the complete content, nothing left out. A file that exists keeps its kind of line breaks and its encoding.",
  inputSchema: input,
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    const fields = { tool: "newFileCreated", path, content: textOf(raw, "content") };
    return boundedDescriptor(fields, PARTIAL_MAX_BYTES);
  },
  files: ({ path }) => [path],
  amend: ({ path, content }, amendment) =>
    amendedEdit({ path, creates: true, proposed: (before) => inFormOf(before, content) }, amendment),
  describe: ({ path, content }, { workspace }) =>
    describeEdit(workspace, {
      path,
      tool: "editedExistingFile",
      sent: content,
      creates: true,
      edit: async () => wholeEdit(await readBefore(workspace, path), content),
    }),
  execute: async ({ path, content }, { workspace, base }) =>
    writeEdit(workspace, path, wholeEdit(await readBefore(workspace, path), content), { expects: base }),
});
