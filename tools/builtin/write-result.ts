import type { WriteResult } from "../ports.ts";

/** What a tool result says of a written file. */
interface WrittenFile extends WriteResult {
  /** The diff from the proposed to the written content, where the user edited it. */
  readonly userEdits?: string;
}

/** The tool result of a written file. */
export function writeResult(path: string, { created, changed = false, userEdits }: WrittenFile): string {
  const notice = changed ? CHANGED : userEdits === undefined ? EXACT : EDITED;
  return JSON.stringify({
    path,
    operation: created ? "created" : "modified",
    notice,
    ...(userEdits !== undefined && { user_edits: userEdits }),
  });
}

const EXACT = "The file has exactly the content that was sent: there is no need to read it again.";
const EDITED =
  "The user edited your proposal before it was written: the file has it with the changes of user_edits. Keep them.";
const CHANGED =
  "The editor changed the content when it saved the file, for example by formatting: read the file before you edit it.";
