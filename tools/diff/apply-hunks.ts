import { ToolError } from "../error.ts";
import { markOf, withoutMark } from "../text-encoding.ts";
import { joinLines, type LineEdit, splitLines } from "./lines.ts";
import { findLines, indentLike, nearestText, searchedText } from "./match.ts";
import type { Hunk } from "./patch.ts";

/** Maximum number of lines that all hunks of a file are compared with: hunks times lines. */
const COMPARED_LINES_MAX = 10_000_000;

/**
 * Apply hunks to `text`, all or none. They are in the order of the file. Lines of context stay as the file has them; line
 * breaks, a byte order mark and a missing line break at the end are kept.
 *
 * @throws ToolError `NO_MATCH` for a hunk that has no match, or several, with the nearest text and its line numbers;
 *   `TOO_LARGE`
 */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): string {
  const lines = splitLines(path, withoutMark(text));
  if (hunks.length * lines.length > COMPARED_LINES_MAX)
    throw new ToolError(
      "TOO_LARGE",
      `The patch has ${hunks.length} hunks of '${path}', which has ${lines.length} lines: expected fewer. Send several patches.`,
    );
  const texts = lines.map((line) => line.text);
  const edits: LineEdit[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = locate({ path, nth: index + 1, texts, from }, hunk);
    edits.push(...editsOf(hunk, place, texts));
    from = place.at + place.count;
  }
  return markOf(text) + joinLines(lines, edits);
}

interface Search {
  readonly path: string;
  /** Number of the hunk, from 1. */
  readonly nth: number;
  readonly texts: readonly string[];
  /** Index of the first line after the hunk before. */
  readonly from: number;
}

interface Place {
  readonly at: number;
  /** Number of lines of the file that the hunk has. */
  readonly count: number;
  /** Whether the indentation differs. */
  readonly isIndented: boolean;
}

function locate(search: Search, hunk: Hunk): Place {
  const { texts } = search;
  const wanted = textsOf(hunk);
  const section = sectionLine(search, hunk);
  const count = wanted.length;
  if (count === 0) {
    const at = section === undefined || hunk.isAtEnd ? texts.length : section + 1;
    return { at, count, isIndented: false };
  }
  const start = hunk.isAtEnd ? Math.max(search.from, texts.length - count) : (section ?? search.from);
  const match = findLines(texts.slice(start), wanted);
  if (match.kind === "none") return notFound(search, wanted, hunk.isAtEnd);
  if (match.kind === "found") return { at: start + match.at, count, isIndented: match.how === "spaces" };
  const [first = 0] = match.at;
  if (section !== undefined)
    return { at: start + first, count, isIndented: !isExact(texts, start + first, wanted) };
  const places = match.at.slice(0, 10).map((at) => start + at + 1);
  return fail(
    search,
    `its lines are at several places (lines ${places.join(", ")}). Add lines around it, or a line above it after @@`,
  );
}

const textsOf = ({ lines }: Hunk): readonly string[] =>
  lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);

const isExact = (texts: readonly string[], at: number, wanted: readonly string[]): boolean =>
  wanted.every((line, offset) => texts[at + offset]?.trimEnd() === line.trimEnd());

/** Index of the line that the last section names. */
function sectionLine(search: Search, { sections }: Hunk): number | undefined {
  let line: number | undefined;
  for (const section of sections) {
    const start = line === undefined ? search.from : line + 1;
    const found = search.texts.findIndex((text, at) => at >= start && text.trim() === section);
    if (found < 0)
      return fail(
        search,
        `the line '${section.slice(0, 200)}' after @@ is not in the file after the hunk before`,
      );
    line = found;
  }
  return line;
}

/** The changed lines, each run of them as one edit, so that the context stays. */
function editsOf(hunk: Hunk, { at, isIndented }: Place, texts: readonly string[]): readonly LineEdit[] {
  const wanted = textsOf(hunk);
  const found = texts.slice(at, at + wanted.length);
  return runsOf(hunk).map(({ from, to, added }) => {
    // Added lines are indented as the removed ones, or as the lines around them.
    const near = from < to ? [from, to] : [Math.max(0, from - 1), from + 1];
    const lines = isIndented ? indentLike(found.slice(...near), wanted.slice(...near), added) : added;
    return { at: at + from, count: to - from, lines };
  });
}

/** Consecutive lines of a hunk that change. */
interface Run {
  /** The first removed one of the lines of the file that the hunk has, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly added: readonly string[];
}

function runsOf({ lines }: Hunk): readonly Run[] {
  const runs: { from: number; to: number; added: string[] }[] = [];
  let line = 0;
  let isChanging = false;
  for (const { kind, text } of lines) {
    if (kind !== "context" && !isChanging) runs.push({ from: line, to: line, added: [] });
    isChanging = kind !== "context";
    if (kind !== "added") line += 1;
    const run = runs.at(-1);
    if (kind === "added") run?.added.push(text);
    else if (kind === "removed" && run !== undefined) run.to = line;
  }
  return runs;
}

function notFound(search: Search, wanted: readonly string[], isAtEnd: boolean): never {
  const { texts, from } = search;
  const before = from > 0 ? findLines(texts.slice(0, from), wanted) : undefined;
  if (before !== undefined && before.kind !== "none")
    fail(search, "its lines are above the hunk before. Send the hunks in the order of the file");
  const where = isAtEnd ? "at the end of the file" : "in the file";
  return fail(
    search,
    `its lines are not ${where}. Read the file and send its exact lines.${nearestText(texts, wanted)}${searchedText(wanted)}`,
  );
}

function fail({ path, nth }: Search, problem: string): never {
  throw new ToolError(
    "NO_MATCH",
    `Hunk ${nth} of '${path}' doesn't match, and nothing was changed: ${problem}`,
  );
}
