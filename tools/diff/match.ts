/** Where a block's lines stand in the file. */
export type Match =
  | { readonly kind: "found"; readonly at: number; readonly how: keyof typeof likenesses }
  | { readonly kind: "several"; readonly at: readonly number[] }
  | { readonly kind: "none" };

/** Ways in which two lines are the same, strictest first. */
export const likenesses = {
  exact: (line: string) => line,
  end: (line: string) => line.trimEnd(),
  spaces: (line: string) => line.trim().replace(/\s+/g, " "),
};
const order = ["exact", "end", "spaces"] as const;

/**
 * Finds `search` in `lines`: exactly, else apart from white space at the ends of lines, else apart from any
 * amount of white space. Of several places the one nearest to `hint` is taken; without a hint, none.
 *
 * @param hint the place that the search is said to begin at, counted from 0
 */
export function findLines(lines: readonly string[], search: readonly string[], hint?: number): Match {
  for (const how of order) {
    const found = placesOf(lines, search, likenesses[how]);
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
  alike: (line: string) => string,
): readonly number[] {
  const wanted = search.map(alike);
  // White space alone, loosely compared, is found wherever there's an empty line.
  if (alike !== likenesses.exact && wanted.every((line) => line === "")) return [];
  const having = lines.map(alike);
  const places: number[] = [];
  for (let at = 0; at + wanted.length <= having.length; at += 1) {
    if (wanted.every((line, offset) => having[at + offset] === line)) places.push(at);
  }
  return places;
}

function nearestTo(hint: number, places: readonly number[]): readonly number[] {
  const distance = Math.min(...places.map((at) => Math.abs(at - hint)));
  return places.filter((at) => Math.abs(at - hint) === distance);
}

/** How many comparisons the search for the nearest text may make. */
const COMPARISONS_MAX = 2_000_000;

/** The place whose lines have most in common with `search`, or undefined where nothing has. */
export function nearestLines(lines: readonly string[], search: readonly string[]): number | undefined {
  const wanted = search.map(wordsOf);
  const having = lines.map(wordsOf);
  const depth = Math.max(
    1,
    Math.min(wanted.length, Math.floor(COMPARISONS_MAX / Math.max(1, having.length))),
  );
  let best: number | undefined;
  let bestScore = 0;
  for (let at = 0; at < having.length; at += 1) {
    let score = 0;
    for (let offset = 0; offset < depth; offset += 1) score += common(wanted[offset], having[at + offset]);
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

/** 0..1: the share of words that both lines have. */
function common(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): number {
  if (a === undefined || b === undefined || a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  return both / Math.max(a.size, b.size);
}
