/** Matches the names of a path. `**` matches any number of names, `*` for any characters of one, `?` for one. */
export interface Wildcards {
  /** Whether it matches the path or a folder above it. Takes time in proportion to the path, for each character of the glob. */
  matches(names: readonly string[]): boolean;
}

/** A pattern of `.gitignore` without negation, classes and escapes. Without an inner slash it matches in any folder. */
export function parseWildcards(pattern: string): Wildcards {
  const names = pattern.replace(/\/$/, "").split("/");
  if (names.length === 1) names.unshift("**");
  else if (names[0] === "") names.shift();
  return { matches: (path) => matchesNames(names, path) };
}

function matchesNames(names: readonly string[], path: readonly string[]): boolean {
  let reached = firstPositions(names);
  for (const name of path) {
    reached = positionsAfter(names, reached, name);
    if (reached.has(names.length)) return true;
  }
  return false;
}

/** The positions in a pattern before the first name of a path. */
export const firstPositions = (names: readonly string[]): ReadonlySet<number> => withSkipped(names, [0]);

/** The positions in a pattern after one more name of a path. It matches the path if they have the number of its own names. */
export function positionsAfter(
  names: readonly string[],
  reached: ReadonlySet<number>,
  name: string,
): ReadonlySet<number> {
  const next = [...reached].flatMap((at) => {
    const expected = names[at] ?? "";
    if (expected === "**") return [at];
    return matchesName(expected, name) ? [at + 1] : [];
  });
  return withSkipped(names, next);
}

/** The positions, and those behind each `**` there: it may stand for no name. */
function withSkipped(names: readonly string[], positions: readonly number[]): ReadonlySet<number> {
  const all = new Set<number>();
  for (const position of positions) {
    let at = position;
    all.add(at);
    while (names[at] === "**") {
      at += 1;
      all.add(at);
    }
  }
  return all;
}

/** Each `*` takes as little as it can: where the rest does not match, only the last one is tried with more. */
function matchesName(pattern: string, name: string): boolean {
  let [at, from] = [0, 0];
  let [star, retry] = [-1, 0];
  while (from < name.length) {
    const expected = pattern[at];
    if (expected === "*") {
      [star, retry] = [at, from];
      at += 1;
    } else if (expected === "?" || (expected !== undefined && expected === name[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      retry += 1;
      [at, from] = [star + 1, retry];
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
