import { z } from "zod";
import type { Amendment, Proposal } from "../../machines/tool-call/index.ts";
import type { Amended } from "../define-tool.ts";
import { boundedDescriptor } from "../descriptor.ts";
import { changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import type { DescribePorts, Workspace } from "../ports.ts";
import { cutEnd } from "../text.ts";
import type { Description } from "../tool.ts";
import { type FileBefore, readBefore } from "./file-before.ts";
import { writeResult } from "./write-result.ts";

/** Maximum bytes of the diff from the proposed to the edited content, for the model. */
const USER_EDITS_MAX_BYTES = 32 * 1024;

/** What a model proposed for one file. */
export interface ProposedFile {
  readonly path: string;
  /** The proposed content of a file with this text; of a new or a binary file without one. */
  readonly proposed: (before: string) => string;
}

const schema = z.strictObject({ content: z.string(), base: z.string() });

/**
 * The proposal of an edit, which a person can amend.
 *
 * @param after the proposed content
 */
export function fileProposal(
  path: string,
  before: FileBefore,
  after: string,
): { readonly proposal?: Proposal } {
  if (before.kind === "large") return {};
  const { kind, base } = before;
  return { proposal: { kind: "file", path, base, ...(kind === "text" && { before: before.text }), after } };
}

/**
 * The edit of one file with the content that a person wrote in place of the proposed one. It is not written to a file
 * that changed since the proposal.
 *
 * @throws ToolError `bad_arguments`
 */
export function editedFile(file: ProposedFile, amendment: Amendment): Amended {
  const parsed = schema.safeParse(amendment);
  if (!parsed.success) {
    const keys = Object.keys(amendment).slice(0, 5).join(", ");
    throw new ToolError(
      "bad_arguments",
      `expected { "content": the whole new content of the file, as a string }, received the keys ${keys || "of nothing"}.`,
    );
  }
  const { content, base } = parsed.data;
  const { path } = file;
  return {
    input: { path, content },
    describe: (ports) => describe(file, content, base, ports),
    run: async ({ workspace }) => {
      const before = await unchanged(workspace, path, base);
      const edits = editsOf(file, before, content);
      const written = await workspace.write(path, content);
      const text = writeResult(path, written.created ? "created" : "modified", {
        ...written,
        ...(edits !== "" && { userEdits: cutEnd(edits, USER_EDITS_MAX_BYTES) }),
      });
      return { content: [{ type: "text", text }] };
    },
  };
}

async function describe(
  file: ProposedFile,
  content: string,
  base: string,
  { workspace }: DescribePorts,
): Promise<Description> {
  const { path } = file;
  const named = await workspace.resolve(path);
  const fields = { path: named.path, isOutsideWorkspace: !named.inside };
  // Such a file is never read; the review rejects the call by `paths`.
  if (!named.inside || named.ignored)
    return { text: boundedDescriptor({ tool: "editedExistingFile", ...fields }), paths: [named] };
  const before = await unchanged(workspace, path, base);
  const tool = before.kind === "none" ? "newFileCreated" : "editedExistingFile";
  const change = changeOf(path, textOf(before), content);
  const shown = { content: before.kind === "none" ? content : change.diff, diffStats: change.stats };
  const edits = editsOf(file, before, content);
  return {
    text: boundedDescriptor({ tool, ...fields, ...shown }),
    paths: [named],
    diff: change.diff,
    ...fileProposal(named.path, before, content),
    ...(edits !== "" && {
      edit: { say: "user_feedback_diff", text: boundedDescriptor({ tool, path: named.path, diff: edits }) },
    }),
  };
}

/** The diff from the proposed to the edited content; empty if they are the same. */
const editsOf = ({ path, proposed }: ProposedFile, before: FileBefore, content: string): string =>
  changeOf(path, proposed(textOf(before)), content).diff;

const textOf = (before: FileBefore): string => (before.kind === "text" ? before.text : "");

/** @throws ToolError `changed` */
async function unchanged(workspace: Workspace, path: string, base: string): Promise<FileBefore> {
  const before = await readBefore(workspace, path);
  if (before.kind !== "large" && before.base === base) return before;
  throw new ToolError(
    "changed",
    `'${path}' changed after it was proposed to the user, so the edit of the user was not written. Read the file, and propose the change again.`,
  );
}
