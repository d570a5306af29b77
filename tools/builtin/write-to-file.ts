import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { amendedEdit } from "./amended-edit.ts";
import { readBefore } from "./file-before.ts";
import { describeEdit } from "./file-edit.ts";
import { writeResult } from "./write-result.ts";

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
    "Writes a file of the workspace: makes it, or replaces its whole content. Send the complete content, nothing left out.",
  input,
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    const fields = { tool: "newFileCreated", path, content: textOf(raw, "content") };
    return boundedDescriptor(fields, PARTIAL_MAX_BYTES);
  },
  files: ({ path }) => [path],
  amend: ({ path, content }, amendment) => amendedEdit({ path, proposed: () => content }, amendment),
  describe: ({ path, content }, { workspace }) =>
    describeEdit(workspace, {
      path,
      tool: "editedExistingFile",
      sent: content,
      edit: async () => ({ before: await readBefore(workspace, path), after: content }),
    }),
  run: async ({ path, content }, { workspace, base }) =>
    writeResult(path, await workspace.write(path, content, { expects: base })),
});
