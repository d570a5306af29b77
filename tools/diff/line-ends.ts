import { diffArrays } from "diff";
import type { TextEncoding } from "../../ports/workspace.ts";
import { markOf, withoutMark } from "../text-encoding.ts";

/** Maximum number of lines that are compared one by one; the cost is quadratic. */
const EDITS_MAX = 4_000;

/** A line of a file. */
export interface Line {
  readonly text: string;
  /** Its line break, empty at the end of the file. */
  readonly end: string;
}

/** A run of lines that a replacement changes. */
interface Run {
  /** Index of the first line that is replaced, and of the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly added: readonly string[];
}

/** Each line of a text with its line break. */
export function* linesOf(text: string): Generator<Line> {
  for (const [whole, body = "", end = ""] of text.matchAll(/([^\n]*?)(\r?\n|$)/gy))
    if (whole !== "") yield { text: body, end };
}

/** The runs of lines that differ, in order: the others stay. Too many are one run. */
export function changedRuns(before: readonly string[], after: readonly string[]): readonly Run[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: EDITS_MAX });
  if (changes === undefined) return [wholeRun(before, after)];
  const runs: { from: number; to: number; added: readonly string[] }[] = [];
  let at = 0;
  let isChanging = false;
  for (const { added, removed, value } of changes) {
    if (added || removed) {
      if (!isChanging) runs.push({ from: at, to: at, added: [] });
      isChanging = true;
      const run = runs.at(-1);
      if (run !== undefined && added) run.added = [...run.added, ...value];
      if (run !== undefined && removed) run.to += value.length;
    } else isChanging = false;
    if (!added) at += value.length;
  }
  return runs;
}

/** One run from the first to the last line that differs. */
function wholeRun(before: readonly string[], after: readonly string[]): Run {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { from: head, to: before.length - tail, added: after.slice(head, after.length - tail) };
}

/**
 * The line breaks of added lines: a line that replaces one gets the break of the replaced line, another one the break of the
 * line before it.
 */
export function endsOf(replaced: readonly Line[], count: number, fallback: string): readonly string[] {
  const ends: string[] = [];
  for (let index = 0; index < count; index += 1) ends.push(replaced[index]?.end || ends.at(-1) || fallback);
  return ends;
}

/** The line break that most lines have; undefined for a text without one. */
export function usualEnd(lines: Iterable<Line>): string | undefined {
  let plain = 0;
  let windows = 0;
  for (const { end } of lines) {
    if (end === "\n") plain += 1;
    else if (end === "\r\n") windows += 1;
  }
  if (plain + windows === 0) return undefined;
  return windows > plain ? "\r\n" : "\n";
}

/**
 * A new text of a file with the kind of line breaks that its lines have: unchanged lines keep theirs, and changed ones get
 * the breaks of the lines that they replace. A text without line breaks stays, and so does whether the last line has one.
 */
export function withEndsOf(before: string, after: string, fallback?: string): string {
  const old = [...linesOf(before)];
  const usual = usualEnd(old) ?? fallback;
  if (usual === undefined) return after;
  const added = [...linesOf(after)];
  if (old.every(({ end }) => end === usual || end === ""))
    return added.map(({ text, end }) => text + (end && usual)).join("");
  const ends: string[] = [];
  let from = 0;
  const keep = (to: number): void => {
    for (; from < to; from += 1) ends.push(old[from]?.end || usual);
  };
  const texts = (lines: readonly Line[]): readonly string[] => lines.map(({ text }) => text);
  for (const run of changedRuns(texts(old), texts(added))) {
    keep(run.from);
    const replaced = old.slice(run.from, run.to);
    for (const end of endsOf(replaced, run.added.length, ends.at(-1) ?? usual)) ends.push(end);
    from = run.to;
  }
  keep(old.length);
  return added.map(({ text, end }, index) => text + (end && (ends[index] ?? usual))).join("");
}

/** A whole new text of a file, with the byte order mark and the line breaks that it had. */
export function inFormOf(before: string, after: string): string {
  if (before === "") return after;
  return markOf(before) + withEndsOf(withoutMark(before), withoutMark(after));
}

/** The form of a text file, for a message. */
export function formOf(text: string, encoding: TextEncoding = "utf-8"): string {
  const end = usualEnd(linesOf(text));
  return [
    ...(end === undefined ? [] : [`${end === "\n" ? "LF" : "CRLF"} line breaks`]),
    `${markOf(text) === "" ? "no" : "a"} byte order mark`,
    ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()]),
  ].join(", ");
}
