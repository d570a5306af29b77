import { boundedDescriptor } from "../descriptor.ts";
import { type Change, changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import { fileChanged } from "../file-version.ts";
import type { Workspace } from "../ports.ts";
import { cutEnd } from "../text.ts";
import type { Description } from "../tool.ts";
import { type FileBefore, textIn } from "./file-before.ts";
import { writeResult } from "./write-result.ts";

/** Maximum bytes of the diff from the proposed to the edited content, for the model. */
const USER_EDITS_MAX_BYTES = 32 * 1024;

/** The edit of one file. */
export interface FileEdit {
  readonly before: FileBefore;
  readonly after: string;
  /** Of an amended edit: the diff from the proposed content; empty if they are the same. */
  readonly userEdits?: string;
}

/** A call that edits one file. */
export interface EditCall {
  readonly path: string;
  /** The descriptor of an edit of a file that exists. */
  readonly tool: "appliedDiff" | "editedExistingFile";
  /** What is shown of a file that no tool may read. */
  readonly sent: string;
  readonly edit: () => Promise<FileEdit>;
}

/** Describe the edit of a file, with a proposal that a person can amend. */
export async function describeEdit(
  workspace: Workspace,
  { path, tool, sent, edit }: EditCall,
): Promise<Description> {
  const named = await workspace.resolve(path);
  const fields = { path: named.path, isOutsideWorkspace: !named.inside };
  // Such a file is never read; the review rejects the call by `paths`.
  if (!named.inside || named.ignored)
    return { text: boundedDescriptor({ tool, ...fields, content: sent }), paths: [named] };
  const { before, after, userEdits = "" } = await edit();
  const { diff, stats: diffStats } = changeFrom(path, before, after);
  const shown = before.kind === "none" ? "newFileCreated" : tool;
  return {
    text: boundedDescriptor({
      tool: shown,
      ...fields,
      ...(shown === "appliedDiff" && { diff }),
      content: shown === "newFileCreated" ? after : diff,
      diffStats,
    }),
    paths: [named],
    diff,
    ...proposalOf(named.path, before, after),
    ...(userEdits !== "" && {
      edit: {
        say: "user_feedback_diff",
        text: boundedDescriptor({ tool: shown, path: named.path, diff: userEdits }),
      },
    }),
  };
}

/** The change of a file, as it is shown to the user. */
export function changeFrom(path: string, before: FileBefore, after: string): Change {
  const change = changeOf(path, textIn(before), after);
  return before.kind === "binary" || before.kind === "large"
    ? { ...change, diff: `[A ${before.kind} file is replaced.]` }
    : change;
}

function proposalOf(path: string, before: FileBefore, after: string): Pick<Description, "base" | "proposal"> {
  if (before.kind === "large") return {};
  const { version: base } = before;
  const text = before.kind === "text" ? { before: before.text } : {};
  return { base, proposal: { kind: "file", path, base, ...text, after } };
}

/** Write an edit to a file that has not changed since it was read. @throws ToolError those of `Workspace.write` */
export async function writeEdit(
  workspace: Workspace,
  path: string,
  { before, after, userEdits = "" }: FileEdit,
): Promise<string> {
  const written = await workspace.write(path, after, { expects: before.version });
  return writeResult(path, {
    ...written,
    ...(userEdits !== "" && { userEdits: cutEnd(userEdits, USER_EDITS_MAX_BYTES) }),
  });
}

/**
 * Run a call that could be described: an edit that does not fit any more has another reason.
 *
 * @throws ToolError `changed` in place of `no_match`, `not_found` and `exists`
 */
export async function sinceReview<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError) || !["no_match", "not_found", "exists"].includes(error.code))
      throw error;
    throw fileChanged(what, error.message, { cause: error });
  }
}
