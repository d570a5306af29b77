import { posix } from "node:path";
import { z } from "zod";
import type { Input } from "../../machines/tool-call/index.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { replaceExactly } from "../diff/exact.ts";
import { changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import type { DescribePorts, ExpectedContent, Workspace } from "../ports.ts";
import type { Description, Tool } from "../tool.ts";
import { readCurrent, readIfExists, sinceReview } from "./current-file.ts";
import { editedFile, fileProposal } from "./edited-file.ts";
import { fileBefore, NO_FILE } from "./file-before.ts";
import { writeResult } from "./write-result.ts";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace."),
  old_string: z
    .string()
    .describe("The text to replace, exactly as the file has it. Empty: a new file is made of new_string."),
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
  input,
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
    editedFile({ path: call.path, proposed: (before) => editedText(call, before) }, amendment),
  describe,
  run: (call, { workspace }) =>
    sinceReview(`'${call.path}'`, async () => {
      const { path } = call;
      const { after, expects, isNew } = await edited(workspace, call);
      const written = await workspace.write(path, after, { expects });
      return writeResult(path, isNew ? "created" : "modified", written);
    }),
});

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

interface Edited {
  readonly before: string;
  readonly after: string;
  /** What the file has. */
  readonly expects: ExpectedContent;
  readonly isNew: boolean;
}

/** The file before and after the edit. @throws ToolError `exists`, `no_match`, `binary` and those of `Workspace.read` */
async function edited(workspace: Workspace, call: EditInput): Promise<Edited> {
  const { path, old_string: replaced, new_string: content } = call;
  if (replaced === "") return created(path, content, await readIfExists(workspace, path));
  const file = await readCurrent(workspace, path);
  return { before: file.text, after: editedText(call, file.text), expects: file.bytes, isNew: false };
}

/** The text of the file after the edit. @throws ToolError `no_match` */
function editedText(call: EditInput, text: string): string {
  const { path, old_string: before, new_string: after } = call;
  if (before === "") return after;
  const count = call.replace_all === true ? "all" : (call.expected_replacements ?? 1);
  return replaceExactly(path, text, { before, after, count });
}

function created(path: string, text: string, found: Uint8Array | undefined): Edited {
  if (found === undefined || found.length === 0)
    return { before: "", after: text, expects: found ?? "absent", isNew: true };
  throw new ToolError(
    "exists",
    `'${path}' exists and has ${found.length} bytes, and old_string is empty: expected a new file. Send the text to replace as old_string, or replace the whole file with write_to_file.`,
  );
}

async function describe(call: EditInput, { workspace }: DescribePorts): Promise<Description> {
  const { path, new_string: content } = call;
  const named = await workspace.resolve(path);
  const tool = call.old_string === "" ? "newFileCreated" : "appliedDiff";
  const fields = { tool, path: named.path, isOutsideWorkspace: !named.inside };
  // Such a file is never read; the review rejects the call by `paths`.
  if (!named.inside || named.ignored)
    return { text: boundedDescriptor({ ...fields, content }), paths: [named] };
  const { before, after, expects, isNew } = await edited(workspace, call);
  const { diff, stats: diffStats } = changeOf(path, before, after);
  const shown = isNew ? { content, diffStats } : { diff, content: diff, diffStats };
  return {
    text: boundedDescriptor({ ...fields, ...shown }),
    paths: [named],
    diff,
    ...fileProposal(named.path, expects === "absent" ? NO_FILE : fileBefore(expects), after),
  };
}
