import type { LedgerProblem } from "./chains.ts";
import type { OwnLine } from "./comparison.ts";
import { comparePositions, type LedgerEntry, type LedgerLine } from "./entry.ts";
import { encodeEntry } from "./line.ts";

/** The merges of a task that the data folder has. */
export interface ExpectedMerges {
  /** The entries of its merges into any folder. */
  readonly known: readonly LedgerEntry[];
  /** The ones that this ledger must have. */
  readonly own: readonly LedgerEntry[];
  /** The ones of merges into worktrees: a ledger has them up to the last line of the task. */
  readonly nested: readonly LedgerEntry[];
}

/** Compare the merges among the lines of a task with those that the data folder has. */
export function compareMerges(
  task: string,
  lines: readonly OwnLine[],
  { known, own, nested }: ExpectedMerges,
): readonly LedgerProblem[] {
  const problems: LedgerProblem[] = [];
  for (const { number, line, whole } of lines) {
    // An edited line is a problem by itself.
    if (!whole || line.merged === undefined) continue;
    const entries = known.filter((entry) => comparePositions(entry, line) === 0);
    if (entries.some((entry) => encodeEntry(entry, line.previous).hash === line.hash)) continue;
    problems.push({ line: number, task, problem: mergeProblem(entries[0], line) });
  }
  const last = lines.at(-1)?.line;
  const brought = nested.filter((entry) => last !== undefined && comparePositions(entry, last) < 0);
  for (const entry of [...own, ...brought]) {
    const isThere = lines.some(
      ({ line }) => line.merged !== undefined && comparePositions(line, entry) === 0,
    );
    if (!isThere) problems.push({ task, problem: missingProblem(entry) });
  }
  return problems;
}

function mergeProblem(expected: LedgerEntry | undefined, found: LedgerLine): string {
  const { task, path } = found;
  if (expected === undefined)
    return `expected no merge of ${path} from task ${task}, which the data folder has not, found one by ${formatMerger(found)}: the line was invented, or worktrees/${task} was removed from the data folder`;
  return `the data folder has another merge of task ${task} there: ${differences(expected, found)}. The line was rewritten`;
}

const missingProblem = (entry: LedgerEntry): string =>
  `expected the merge of ${entry.path} from task ${entry.task} by ${formatMerger(entry)}, found no line of it: it was removed, or its process was killed before it wrote the line. In that case, the line is appended when the task is merged again`;

/** The task that merged, or a person. */
const formatMerger = ({ merged }: LedgerEntry): string =>
  merged?.by == null ? "a person" : `task ${merged.by}`;

/** Each field that differs, with the expected value and the found one. */
function differences(expected: LedgerEntry, found: LedgerEntry): string {
  const { merged: own = NO_MERGE, ...entry } = expected;
  const { merged: other = NO_MERGE, ...line } = found;
  const differing = [
    ...ENTRY_FIELDS.flatMap((name) => difference(name, entry[name], line[name])),
    ...MERGE_FIELDS.flatMap((name) => difference(`merged.${name}`, own[name], other[name])),
  ];
  return differing.join("; ") || "another spelling";
}

function difference(name: string, expected: unknown, found: unknown): readonly string[] {
  const [one, other] = [JSON.stringify(expected) ?? "nothing", JSON.stringify(found) ?? "nothing"];
  return one === other ? [] : [`${name}: expected ${shortened(one)}, found ${shortened(other)}`];
}

const VALUE_MAX_CHARS = 120;
const shortened = (text: string): string =>
  text.length <= VALUE_MAX_CHARS ? text : `${text.slice(0, VALUE_MAX_CHARS)}...`;

const NO_MERGE: Partial<NonNullable<LedgerEntry["merged"]>> = {};
const ENTRY_FIELDS = [
  ...(["at", "intent", "tool", "path", "before", "after", "lines"] as const),
  ...(["revision", "branch", "model"] as const),
];
const MERGE_FIELDS = ["content", "lines", "tasks", "by", "unrecorded", "interrupted"] as const;

/**
 * Compare the calls of a task that merged with the merges in the ledger: each file that such a call changed must have a merge by
 * this task before it.
 *
 * @param entries the writes of the journal of the task
 */
export function compareMergeCalls(
  task: string,
  entries: readonly LedgerEntry[],
  ledger: readonly OwnLine[],
): readonly LedgerProblem[] {
  const merges = ledger.filter(({ line, whole }) => whole && line.merged !== undefined);
  return entries.flatMap((entry): LedgerProblem[] => {
    if (entry.tool !== MERGE_TOOL) return [];
    const same = merges.filter(({ line }) => isMergeOf(line, entry));
    if (same.some(({ line }) => line.merged?.by === task)) return [];
    const [other] = same;
    const expected = `the journal of task ${task} has a call that merged ${entry.path}, record ${entry.sequence}: expected a merge by task ${task}`;
    return other === undefined
      ? [{ task, problem: `${expected}, found none` }]
      : [
          {
            line: other.number,
            task: other.line.task,
            problem: `${expected}, found one by ${formatMerger(other.line)}`,
          },
        ];
  });
}

/** The tool whose call merges the files of a subtask. */
const MERGE_TOOL = "merge_subtask";

const isMergeOf = (line: LedgerLine, { path, before, after }: LedgerEntry): boolean =>
  line.path === path && line.before === before && line.after === after;
