import {
  comparePositions,
  type LedgerEntry,
  type LedgerLine,
  type LedgerPosition,
  type MergedContent,
} from "./entry.ts";

/** A file that a merge changed. */
export type MergedFile = Pick<LedgerEntry, "path" | "before" | "after" | "lines" | "revision" | "branch"> & {
  readonly merged: Pick<MergedContent, "content" | "lines">;
};

/** A merge of the files of a task into a workspace. */
export interface LedgerMerge {
  /** The task that the worktree or copy belongs to. */
  readonly task: string;
  /** The task that merged. Null: a person. */
  readonly by: string | null;
  /** Time of the merge, and of the creation of the worktree or copy, in milliseconds since 1970. */
  readonly at: number;
  readonly createdAt: number;
  readonly files: readonly MergedFile[];
}

/**
 * The entries that a ledger lacks after a merge: all writes of the tasks that wrote a merged file, then one for each file.
 * Empty if it has them all, so a merge can be recorded again.
 *
 * @param present the lines of the ledger of the workspace
 * @param incoming the lines of the ledger of the worktree or copy
 */
export function mergeEntries(
  present: readonly LedgerLine[],
  incoming: readonly LedgerLine[],
  merge: LedgerMerge,
): readonly LedgerEntry[] {
  const { task, by, files } = merge;
  const writers = writersOf(incoming);
  const tasks = new Set(files.flatMap(({ path }) => [...(writers.get(path) ?? [])]));
  // The lines of a task are in the order of their positions, and none is left out.
  const newest = newestByTask(present);
  const isMissing = (line: LedgerLine): boolean => comparePositions(newest.get(line.task) ?? NONE, line) < 0;
  const missing = incoming.filter((line) => tasks.has(line.task) && isMissing(line));
  const known = [...present, ...missing];
  // Later than the writes that it brings, also if the clock was set back.
  const at = known.reduce((latest, line) => Math.max(latest, line.at), merge.at);
  const { sequence, part } = newestByTask(known).get(task) ?? NONE;
  const recorded = recordedMerges(present, merge);
  const merged = files
    .filter((file) => !recorded.some((line) => isMergeOf(line, file)))
    .map(
      (file, index): LedgerEntry => ({
        ...file,
        task,
        sequence,
        part: part + 1 + index,
        at,
        intent: null,
        tool: "merge",
        model: null,
        merged: { ...file.merged, tasks: [...(writers.get(file.path) ?? [])], by },
      }),
    );
  return [...missing, ...merged];
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
function newestByTask(lines: readonly LedgerLine[]): ReadonlyMap<string, LedgerPosition> {
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

const isMergeOf = (line: LedgerLine, { path, before, after }: MergedFile): boolean =>
  line.path === path && line.before === before && line.after === after;
