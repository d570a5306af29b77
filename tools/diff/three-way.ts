import { changedRuns, linesOf } from "./line-ends.ts";

/** Two texts that began as the same one, and what is shown of each at a conflict. */
export interface ThreeTexts {
  readonly base: string;
  readonly ours: { readonly text: string; readonly label: string };
  readonly theirs: { readonly text: string; readonly label: string };
}

/** The result of a merge by lines. */
export interface MergedText {
  /** With markers around each conflict. */
  readonly text: string;
  /** The first line of each conflict in `ours`, counted from 1. Empty: both changes are in the text. */
  readonly conflicts: readonly number[];
}

/** A run of changed lines: indexes in the base, and the lines in their place. */
type Run = ReturnType<typeof changedRuns>[number];

/**
 * Merge two changes of a text by lines, with their line breaks. Changes of the same or of adjacent lines that differ are a
 * conflict, which gets markers.
 */
export function mergeTexts({ base, ours, theirs }: ThreeTexts): MergedText {
  const lines = wholeLines(base);
  const own = changedRuns(lines, wholeLines(ours.text));
  const other = changedRuns(lines, wholeLines(theirs.text));
  const merged: (readonly string[])[] = [];
  const conflicts: number[] = [];
  let at = 0;
  let ownLine = 1;
  for (const { from, to, left, right } of clusters(own, other)) {
    merged.push(lines.slice(at, from));
    ownLine += from - at;
    at = to;
    const [mine, yours] = [applied(lines, from, to, left), applied(lines, from, to, right)];
    if (right.length === 0 || isSame(mine, yours)) merged.push(mine);
    else if (left.length === 0) merged.push(yours);
    else {
      conflicts.push(ownLine);
      merged.push(marked(mine, yours, ours.label, theirs.label));
    }
    ownLine += mine.length;
  }
  merged.push(lines.slice(at));
  return { text: merged.flat().join(""), conflicts };
}

interface Cluster {
  readonly from: number;
  readonly to: number;
  readonly left: readonly Run[];
  readonly right: readonly Run[];
}

/** The runs of both sides in order, those that overlap or touch together. */
function clusters(left: readonly Run[], right: readonly Run[]): readonly Cluster[] {
  const all = [
    ...left.map((run) => ({ run, isLeft: true })),
    ...right.map((run) => ({ run, isLeft: false })),
  ];
  all.sort((a, b) => a.run.from - b.run.from || a.run.to - b.run.to);
  const found: { from: number; to: number; left: Run[]; right: Run[] }[] = [];
  for (const { run, isLeft } of all) {
    let last = found.at(-1);
    if (last === undefined || run.from > last.to) {
      last = { from: run.from, to: run.to, left: [], right: [] };
      found.push(last);
    }
    last.to = Math.max(last.to, run.to);
    (isLeft ? last.left : last.right).push(run);
  }
  return found;
}

/** A part of the base with the changes of one side. */
function applied(
  lines: readonly string[],
  from: number,
  to: number,
  runs: readonly Run[],
): readonly string[] {
  const result: (readonly string[])[] = [];
  let at = from;
  for (const run of runs) {
    result.push(lines.slice(at, run.from), run.added);
    at = run.to;
  }
  return [...result, lines.slice(at, to)].flat();
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index]);

function marked(
  mine: readonly string[],
  yours: readonly string[],
  ours: string,
  theirs: string,
): readonly string[] {
  const end = [...mine, ...yours].some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const ended = (side: readonly string[]): readonly string[] =>
    side.map((line) => (line.endsWith("\n") ? line : line + end));
  return [
    `<<<<<<< ${ours}${end}`,
    ...ended(mine),
    `=======${end}`,
    ...ended(yours),
    `>>>>>>> ${theirs}${end}`,
  ];
}

const wholeLines = (text: string): readonly string[] =>
  [...linesOf(text)].map((line) => line.text + line.end);
