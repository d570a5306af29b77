import type { FileHash, FileWrite } from "../../machines/tool-call/file-write.ts";
import type { LedgerLine, UnrecordedChange } from "./entry.ts";

/** A file of a worktree or copy when it is merged. */
interface WorktreeFile {
  readonly path: string;
  /** Its change since the worktree or copy was created. */
  readonly changed: Pick<FileWrite, "before" | "lines">;
  /** SHA-256 of its content. */
  readonly content: FileHash;
}

/**
 * The changes of a file in a worktree or copy that no line of its ledger has, such as the changes by an interrupted command.
 * In the order in which they were made.
 */
export function unrecordedChanges(
  lines: readonly LedgerLine[],
  { path, changed, content }: WorktreeFile,
): readonly UnrecordedChange[] {
  const writes = lines.filter((line) => line.path === path);
  const known = new Set<FileHash>([changed.before, UNKNOWN]);
  const changes: UnrecordedChange[] = [];
  let last = changed.before;
  for (const { before, after } of writes) {
    if (!known.has(before)) changes.push({ before: last, after: before, lines: null });
    known.add(before).add(after);
    last = after;
  }
  if (known.has(content)) return changes;
  // The content of a recorded write is not kept, so the lines that changed since then are not known.
  const changedLines = writes.length === 0 ? (changed.lines ?? null) : null;
  return [...changes, { before: last, after: content, lines: changedLines }];
}

const UNKNOWN = "unknown";
