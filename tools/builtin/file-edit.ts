import type { Workspace, WriteOptions } from "../../ports/workspace.ts";
import { boundedDescriptor } from "../descriptor.ts";
import { formOf, inFormOf } from "../diff/line-ends.ts";
import { type Change, changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import { fileChanged } from "../file-version.ts";
import { cutEnd } from "../text.ts";
import type { Description } from "../tool.ts";
import { encodingIn, type FileBefore, textIn } from "./file-before.ts";
import { writeResult } from "./write-result.ts";

/** Maximum bytes of the diff from the proposed to the edited content, for the model. */
const USER_EDITS_MAX_BYTES = 32 * 1024;

/** The edit of one file. */
export interface FileEdit {
  readonly before: FileBefore;
  readonly after: string;
  /** The diff from the proposed content to an amended edit; empty if they are the same. */
  readonly userEdits?: string;
  /** The whole content that was sent; the file keeps its form. Absent: only parts were sent. */
  readonly sent?: string;
}

/** A call that edits one file. */
export interface EditCall {
  readonly path: string;
  /** The descriptor of an edit of a file that exists. */
  readonly tool: "appliedDiff" | "editedExistingFile";
  /** The part of a file that is shown where no tool may read it. */
  readonly sent: string;
  /** Whether the call may create the file: then `path` means no other file that looks like it. Default false. */
  readonly creates?: boolean;
  /** @param path the path of the file, as it is */
  readonly edit: (path: string) => Promise<FileEdit>;
}

/** The path of the file that a call edits, as it is. */
export async function pathToEdit(
  workspace: Workspace,
  { path, creates = false }: Pick<EditCall, "path" | "creates">,
): Promise<string> {
  return creates ? path : (await workspace.resolve(path)).path;
}

/** The edit that replaces the whole content of a file, which keeps its byte order mark and its kind of line breaks. */
export const wholeEdit = (before: FileBefore, sent: string): FileEdit => ({
  before,
  after: inFormOf(textIn(before), sent),
  sent,
});

/** Describe the edit of a file, with a proposal that a person can amend. */
export async function describeEdit(
  workspace: Workspace,
  { path, tool, sent, creates = false, edit }: EditCall,
): Promise<Description> {
  const named = await workspace.resolve(path, { exact: creates });
  const fields = { path: named.path, isOutsideWorkspace: !named.inside };
  // Such a file is never read; the review rejects the call by `paths`.
  if (!named.inside || named.ignored)
    return { text: boundedDescriptor({ tool, ...fields, content: sent }), paths: [named] };
  const { before, after, userEdits = "" } = await edit(named.path);
  const { diff, stats: diffStats } = changeFrom(named.path, before, after);
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

/** Write an edit to a file that has not changed since it was read. @throws ToolError the codes of `Workspace.write` */
export async function writeEdit(
  workspace: Workspace,
  path: string,
  { before, after, userEdits = "", sent = after }: FileEdit,
  { expects }: Pick<WriteOptions, "expects"> = { expects: before.version },
): Promise<string> {
  const encoding = encodingIn(before);
  const written = await workspace.write(path, after, { expects, encoding });
  return writeResult(path, {
    ...written,
    ...((sent !== after || (encoding ?? "utf-8") !== "utf-8") && { form: formOf(after, encoding) }),
    ...(userEdits !== "" && { userEdits: cutEnd(userEdits, USER_EDITS_MAX_BYTES) }),
  });
}

/**
 * Run a call that could be described: an edit that does not fit any more has another reason.
 *
 * @throws ToolError `CHANGED` in place of `NO_MATCH`, `NOT_FOUND` and `EXISTS`
 */
export async function sinceReview<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError) || !["NO_MATCH", "NOT_FOUND", "EXISTS"].includes(error.code))
      throw error;
    throw fileChanged(what, error.message, { cause: error });
  }
}
