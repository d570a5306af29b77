import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import {
  comparePositions,
  type InterruptedCall,
  type LedgerEntry,
  type LedgerLine,
  type LedgerPosition,
  type MergedContent,
} from "./entry.ts";
import { unrecordedChanges } from "./unrecorded-changes.ts";

/** A file that a merge changed. */
export type MergedFile = Pick<LedgerEntry, "path" | "before" | "after" | "lines" | "revision" | "branch"> & {
  readonly merged: Pick<MergedContent, "content" | "lines" | "by">;
  /** Its change in the worktree or copy since that was created. */
  readonly changed: Pick<FileWrite, "before" | "lines">;
};

/** A merge of the files of a task into a workspace. */
export interface LedgerMerge {
  /** The task that the worktree or copy belongs to. */
  readonly task: string;
  /** Time of the merge, and of the creation of the worktree or copy, in milliseconds since 1970. */
  readonly at: number;
  readonly createdAt: number;
  readonly files: readonly MergedFile[];
  /** The calls that were interrupted in the worktree or copy. */
  readonly interrupted: readonly InterruptedCall[];
  /** The entries of merges of the task into this workspace that the data folder has. */
  readonly recorded: readonly LedgerEntry[];
}

/** The entries that a ledger lacks after a merge. */
interface MissingEntries {
  /** All of them. */
  readonly entries: readonly LedgerEntry[];
  /** The ones of the merge that are not recorded yet. */
  readonly merged: readonly LedgerEntry[];
}

/**
 * The entries that a ledger lacks after a merge: all writes of the tasks that wrote a merged file, then one for each file.
 * Empty if it has them all, so a merge can be recorded again: what was recorded before its process ended stays as it was.
 *
 * @param present the lines of the ledger of the workspace
 * @param incoming the lines of the ledger of the worktree or copy
 */
export function mergeEntries(
  present: readonly LedgerLine[],
  incoming: readonly LedgerLine[],
  merge: LedgerMerge,
): MissingEntries {
  const { task, files, interrupted } = merge;
  const writers = writersOf(incoming);
  const pending = pendingEntries(present, merge);
  const paths = [...files, ...pending].map(({ path }) => path);
  const tasks = new Set(paths.flatMap((path) => [...(writers.get(path) ?? [])]));
  // The lines of a task are in the order of their positions, and none is left out.
  const newest = newestByTask(present);
  const isMissing = (line: LedgerEntry): boolean => comparePositions(newest.get(line.task) ?? NONE, line) < 0;
  const missing = incoming.filter((line) => tasks.has(line.task) && isMissing(line));
  const brought = inOrder(task, missing, pending);
  const known = [...present, ...brought];
  // Later than the writes that it brings, also if the clock was set back.
  const at = known.reduce((latest, line) => Math.max(latest, line.at), merge.at);
  const { sequence, part } = newestByTask(known).get(task) ?? NONE;
  const recorded = [...recordedMerges(present, merge), ...pending];
  const merged = files
    .filter((file) => !recorded.some((line) => isMergeOf(line, file)))
    .map(({ changed, merged: { content, lines, by }, ...file }, index): LedgerEntry => {
      const unrecorded = unrecordedChanges(incoming, { path: file.path, changed, content });
      return {
        ...file,
        task,
        sequence,
        part: part + 1 + index,
        at,
        intent: null,
        tool: "merge",
        model: null,
        merged: {
          content,
          lines,
          tasks: [...(writers.get(file.path) ?? [])],
          by,
          ...(unrecorded.length > 0 && { unrecorded }),
          ...(unrecorded.length > 0 && interrupted.length > 0 && { interrupted }),
        },
      };
    });
  return { entries: [...brought, ...merged], merged };
}

/** The recorded entries of a merge of the same worktree or copy that was killed before the ledger had them. */
const pendingEntries = (
  present: readonly LedgerLine[],
  { task, createdAt, recorded }: LedgerMerge,
): readonly LedgerEntry[] => {
  const own = present.filter((line) => line.task === task);
  return recorded.filter(
    (entry) => entry.at >= createdAt && own.every((line) => comparePositions(line, entry) !== 0),
  );
};

/** The lines of a merge with its recorded entries at their positions. */
function inOrder(
  task: string,
  lines: readonly LedgerLine[],
  pending: readonly LedgerEntry[],
): readonly LedgerEntry[] {
  const [first] = pending;
  if (first === undefined) return lines;
  // What the task wrote after that, when it was resumed.
  const isLater = (line: LedgerLine): boolean => line.task === task && comparePositions(line, first) > 0;
  return [...lines.filter((line) => !isLater(line)), ...pending, ...lines.filter(isLater)];
}

/** The tasks that wrote each file. */
function writersOf(lines: readonly LedgerLine[]): ReadonlyMap<string, ReadonlySet<string>> {
  const writers = new Map<string, Set<string>>();
  for (const { path, task } of lines) writers.set(path, (writers.get(path) ?? new Set()).add(task));
  return writers;
}

/** Before the position of each line. */
const NONE: LedgerPosition = { sequence: 0, part: 0 };

/** The position of the newest line of each task. */
function newestByTask(lines: readonly LedgerEntry[]): ReadonlyMap<string, LedgerPosition> {
  const newest = new Map<string, LedgerPosition>();
  for (const line of lines)
    if (comparePositions(newest.get(line.task) ?? NONE, line) < 0) newest.set(line.task, line);
  return newest;
}

/** The merges of the same worktree or copy that a ledger has. */
const recordedMerges = (
  present: readonly LedgerLine[],
  { task, createdAt }: LedgerMerge,
): readonly LedgerLine[] =>
  present.filter((line) => line.merged !== undefined && line.task === task && line.at >= createdAt);

const isMergeOf = (line: LedgerEntry, { path, before, after }: MergedFile): boolean =>
  line.path === path && line.before === before && line.after === after;
