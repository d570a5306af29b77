import { z } from "zod";
import type { Amendment } from "../../machines/tool-call/call.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Amended } from "../define-tool.ts";
import { changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import { fileChanged } from "../file-version.ts";
import { readBefore, textIn } from "./file-before.ts";
import { describeEdit, type FileEdit, pathToEdit, wholeEdit, writeEdit } from "./file-edit.ts";

/** The proposal of a model for one file. */
export interface ProposedFile {
  readonly path: string;
  /** The proposed content of a file with this text; of a new or a binary file without one. */
  readonly proposed: (before: string) => string;
  /** Whether the call may create the file. Default false. */
  readonly creates?: boolean;
}

const schema = z.strictObject({ content: z.string(), base: z.string() });

/**
 * The edit of one file with the content that a person wrote in place of the proposed one. It is not written to a file
 * that changed since the proposal.
 *
 * @throws ToolError `ARGUMENTS_INVALID`
 */
export function amendedEdit(file: ProposedFile, amendment: Amendment): Amended {
  const parsed = schema.safeParse(amendment);
  if (!parsed.success) {
    const keys = Object.keys(amendment).slice(0, 5).join(", ");
    throw new ToolError(
      "ARGUMENTS_INVALID",
      `expected { "content": the whole new content of the file, as a string }, received the keys ${keys || "of nothing"}.`,
    );
  }
  const { content, base } = parsed.data;
  const { path, proposed, creates = false } = file;
  const edit = async (workspace: Workspace, found: string): Promise<FileEdit> => {
    const before = await readBefore(workspace, found);
    if (before.version !== base) throw fileChanged(`'${found}'`);
    const { after } = wholeEdit(before, content);
    const { diff: userEdits } = changeOf(found, proposed(textIn(before)), after);
    return { before, after, userEdits };
  };
  return {
    input: { path, content },
    describe: ({ workspace }) =>
      describeEdit(workspace, {
        path,
        tool: "editedExistingFile",
        sent: content,
        creates,
        edit: (found) => edit(workspace, found),
      }),
    execute: async ({ workspace }) => {
      const found = await pathToEdit(workspace, { path, creates });
      const text = await writeEdit(workspace, found, await edit(workspace, found));
      return { content: [{ type: "text", text }] };
    },
  };
}
