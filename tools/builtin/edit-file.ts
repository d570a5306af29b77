import { posix } from "node:path";
import { z } from "zod";
import type { Input } from "../../machines/tool-call/call.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { replaceExactly } from "../diff/exact.ts";
import { ToolError } from "../error.ts";
import type { Tool } from "../tool.ts";
import { amendedEdit } from "./amended-edit.ts";
import { type FileBefore, readBefore, readText } from "./file-before.ts";
import { describeEdit, type FileEdit, pathToEdit, sinceReview, writeEdit } from "./file-edit.ts";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace."),
  old_string: z
    .string()
    .describe(
      "The text to replace, exactly as the file has it. If it is empty, a new file is created with new_string.",
    ),
  new_string: z.string().describe("The text to put there."),
  replace_all: z.boolean().nullish().describe("Replace it at every place. Default false."),
  expected_replacements: z
    .int()
    .min(1)
    .nullish()
    .describe("How often old_string is in the file; each is replaced. Default 1."),
});
type EditInput = z.output<typeof input>;

const definition = defineTool({
  name: "edit_file",
  displayName: "Edit file",
  aliases: ["edit", "search_and_replace", "search_replace"],
  group: "edit",
  effect: "writes",
  description:
    "Replaces a text in a file by another. old_string must be the exact text, with enough around it that it is only at the place you mean.",
  inputSchema: input,
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    return boundedDescriptor(
      { tool: "appliedDiff", path, content: textOf(raw, "new_string") },
      PARTIAL_MAX_BYTES,
    );
  },
  patches: ({ path }) => posix.normalize(path),
  files: ({ path }) => [path],
  amend: (call, amendment) =>
    amendedEdit(
      { path: call.path, creates: creates(call), proposed: (before) => editedText(call, before) },
      amendment,
    ),
  describe: (call, { workspace }) =>
    describeEdit(workspace, {
      path: call.path,
      tool: "appliedDiff",
      sent: call.new_string,
      creates: creates(call),
      edit: (path) => edit(workspace, { ...call, path }),
    }),
  execute: (call, { workspace }) =>
    sinceReview(`'${call.path}'`, async () => {
      const path = await pathToEdit(workspace, { path: call.path, creates: creates(call) });
      return writeEdit(workspace, path, await edit(workspace, { ...call, path }));
    }),
});

const creates = ({ old_string }: EditInput): boolean => old_string === "";

/** Replaces a text in a file. Calls may name the file `file_path`, as in Roo Code. */
export const editFile: Tool = {
  ...definition,
  partial: (raw) => definition.partial(withPath(raw)),
  prepare: (raw) => definition.prepare(withPath(raw)),
};

function withPath(raw: Input): Input {
  const { file_path: path, ...others } = raw;
  return path === undefined || "path" in raw ? raw : { ...others, path };
}

/** @throws ToolError `EXISTS`, `NO_MATCH`, `BINARY` and the codes of `Workspace.read` */
async function edit(workspace: Workspace, call: EditInput): Promise<FileEdit> {
  const { path, new_string: after } = call;
  if (creates(call)) return { before: await readEmpty(workspace, path), after };
  const before = await readText(workspace, path);
  return { before, after: editedText(call, before.text) };
}

/** The text of the file after the edit. @throws ToolError `NO_MATCH` */
function editedText(call: EditInput, text: string): string {
  const { path, old_string: before, new_string: after } = call;
  if (before === "") return after;
  const count = call.replace_all === true ? "all" : (call.expected_replacements ?? 1);
  return replaceExactly(path, text, { before, after, count });
}

async function readEmpty(workspace: Workspace, path: string): Promise<FileBefore> {
  const before = await readBefore(workspace, path);
  if (before.kind === "none" || (before.kind === "text" && before.text === "")) return before;
  throw new ToolError(
    "EXISTS",
    `'${path}' exists and is not empty, and old_string is empty: expected a new file. Send the text to replace as old_string, or replace the whole file with write_to_file.`,
  );
}
