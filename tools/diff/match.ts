import { positionsOf } from "./positions.ts";

/** The position of a block's lines in the file. */
export type Match =
  | { readonly kind: "found"; readonly at: number; readonly how: keyof typeof normalizations }
  | { readonly kind: "several"; readonly at: readonly number[] }
  | { readonly kind: "none" };

/** Normalizations under which two lines are equal, strictest first. */
export const normalizations = {
  exact: (line: string) => line,
  end: (line: string) => line.trimEnd(),
  spaces: (line: string) => line.trim().replace(/\s+/g, " "),
};
const order = ["exact", "end", "spaces"] as const;

/**
 * Find `search` in `lines`: exactly, else ignoring trailing white space, else ignoring any difference in white space.
 *
 * @param hint expected index of the first line; it selects the nearest of several places
 */
export function findLines(lines: readonly string[], search: readonly string[], hint?: number): Match {
  for (const how of order) {
    const found = placesOf(lines, search, normalizations[how]);
    const [first] = found;
    if (first === undefined) continue;
    if (found.length === 1) return { kind: "found", at: first, how };
    const nearest = hint === undefined ? found : nearestTo(hint, found);
    const [only] = nearest;
    if (nearest.length === 1 && only !== undefined) return { kind: "found", at: only, how };
    return { kind: "several", at: found };
  }
  return { kind: "none" };
}

function placesOf(
  lines: readonly string[],
  search: readonly string[],
  normalize: (line: string) => string,
): readonly number[] {
  const wanted = search.map(normalize);
  // Blank lines would match every blank line if white space is ignored.
  if (normalize !== normalizations.exact && wanted.every((line) => line === "")) return [];
  return positionsOf(lines.map(normalize), wanted);
}

function nearestTo(hint: number, places: readonly number[]): readonly number[] {
  const distance = places.reduce(
    (least, at) => Math.min(least, Math.abs(at - hint)),
    Number.POSITIVE_INFINITY,
  );
  return places.filter((at) => Math.abs(at - hint) === distance);
}

/** Maximum number of line comparisons in the search for the nearest text. */
const COMPARISONS_MAX = 2_000_000;
/** Number of lines in which the nearest text is searched. */
const CANDIDATES_MAX = 100_000;

/** The lines most similar to `search`, for an error, with their numbers; empty if nothing is similar. */
export function nearestText(lines: readonly string[], search: readonly string[]): string {
  const near = nearestLines(lines, search);
  return near === undefined ? "" : `\nThe nearest text there is:\n${excerpt(lines, near, search.length)}`;
}

/** The lines that were searched for, for an error. */
export const searchedText = (search: readonly string[]): string =>
  `\nThe search text:\n${search.slice(0, 20).join("\n")}`;

/** The index of the lines most similar to `search`, or undefined if nothing is similar. */
function nearestLines(lines: readonly string[], search: readonly string[]): number | undefined {
  const wanted = search.slice(0, CANDIDATES_MAX).map(wordsOf);
  const candidates = lines.slice(0, CANDIDATES_MAX).map(wordsOf);
  const depth = Math.max(
    1,
    Math.min(wanted.length, Math.floor(COMPARISONS_MAX / Math.max(1, candidates.length))),
  );
  let best: number | undefined;
  let bestScore = 0;
  for (let at = 0; at < candidates.length; at += 1) {
    let score = 0;
    for (let offset = 0; offset < depth; offset += 1)
      score += similarity(wanted[offset], candidates[at + offset]);
    if (score > bestScore) {
      bestScore = score;
      best = at;
    }
  }
  return best;
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.slice(0, 400).match(/\w+|[^\w\s]/g) ?? []);
}

/** Share of common words, 0 to 1. */
function similarity(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): number {
  if (a === undefined || b === undefined || a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  return both / Math.max(a.size, b.size);
}

/** Indent the replacement like the file, if only white space differs. */
export function indentLike(
  found: readonly string[],
  search: readonly string[],
  replace: readonly string[],
): readonly string[] {
  const first = search.findIndex((line) => line.trim() !== "");
  const was = indentation(search[first] ?? "");
  const is = indentation(found[first] ?? "");
  return replace.map((line) =>
    line.startsWith(was) && line.trim() !== "" ? is + line.slice(was.length) : line,
  );
}

function indentation(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The lines from `at`, and two before and after, with their numbers. */
function excerpt(texts: readonly string[], at: number, count: number): string {
  const from = Math.max(0, at - 2);
  const shown = texts.slice(from, at + Math.min(count, 20) + 2);
  return shown.map((line, index) => `${from + index + 1} | ${line.slice(0, 300)}`).join("\n");
}
