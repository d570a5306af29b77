import { z } from "zod";
import type { Amendment } from "../../machines/tool-call/index.ts";
import type { Amended } from "../define-tool.ts";
import { changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import { fileChanged } from "../file-version.ts";
import type { Workspace } from "../ports.ts";
import { readBefore, textIn } from "./file-before.ts";
import { describeEdit, type FileEdit, writeEdit } from "./file-edit.ts";

/** What a model proposed for one file. */
export interface ProposedFile {
  readonly path: string;
  /** The proposed content of a file with this text; of a new or a binary file without one. */
  readonly proposed: (before: string) => string;
}

const schema = z.strictObject({ content: z.string(), base: z.string() });

/**
 * The edit of one file with the content that a person wrote in place of the proposed one. It is not written to a file
 * that changed since the proposal.
 *
 * @throws ToolError `bad_arguments`
 */
export function amendedEdit(file: ProposedFile, amendment: Amendment): Amended {
  const parsed = schema.safeParse(amendment);
  if (!parsed.success) {
    const keys = Object.keys(amendment).slice(0, 5).join(", ");
    throw new ToolError(
      "bad_arguments",
      `expected { "content": the whole new content of the file, as a string }, received the keys ${keys || "of nothing"}.`,
    );
  }
  const { content, base } = parsed.data;
  const { path, proposed } = file;
  const edit = async (workspace: Workspace): Promise<FileEdit> => {
    const before = await readBefore(workspace, path);
    if (before.version !== base) throw fileChanged(`'${path}'`);
    const { diff: userEdits } = changeOf(path, proposed(textIn(before)), content);
    return { before, after: content, userEdits };
  };
  return {
    input: { path, content },
    describe: ({ workspace }) =>
      describeEdit(workspace, {
        path,
        tool: "editedExistingFile",
        sent: content,
        edit: () => edit(workspace),
      }),
    run: async ({ workspace }) => {
      const text = await writeEdit(workspace, path, await edit(workspace));
      return { content: [{ type: "text", text }] };
    },
  };
}
