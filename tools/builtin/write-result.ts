import type { WriteResult } from "../../ports/workspace.ts";

/** The facts of a written file in a tool result. */
interface WrittenFile extends WriteResult {
  /** The diff from the proposed to the written content, where the user edited it. */
  readonly userEdits?: string;
  /** The form that the file keeps, where the content was sent in another one. */
  readonly form?: string;
}

/** The tool result of a written file. */
export function writeResult(path: string, written: WrittenFile): string {
  const { created, alike = [], userEdits } = written;
  const notice = alike.length === 0 ? noticeOf(written) : `${noticeOf(written)} ${alikeNotice(alike)}`;
  return JSON.stringify({
    path,
    operation: created ? "created" : "modified",
    notice,
    ...(userEdits !== undefined && { user_edits: userEdits }),
  });
}

function noticeOf({ changed = false, userEdits, form }: WrittenFile): string {
  if (changed) return CHANGED;
  if (userEdits !== undefined) return EDITED;
  return form === undefined
    ? EXACT
    : `The file has the content that was sent, in the form that it had: ${form}.`;
}

const alikeNotice = (alike: readonly string[]): string =>
  `This is a new file: another one has a name that looks the same, ${alike.slice(0, 3).join(", ")}. If you meant that one, delete this one and edit that one.`;

const EXACT = "The file has exactly the content that was sent: there is no need to read it again.";
const EDITED =
  "The user edited your proposal before it was written: the file has it with the changes of user_edits. Keep them.";
const CHANGED =
  "The editor changed the content when it saved the file, for example by formatting: read the file before you edit it.";
