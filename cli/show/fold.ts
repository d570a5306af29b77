/** Lines of a long text: the first and the last ones. */
export interface Folded {
  readonly first: readonly string[];
  /** Number of the lines between them that are hidden. */
  readonly hidden: number;
  readonly last: readonly string[];
}

/** Fold more than `max` lines to two thirds of them at the start, and the others at the end. */
export function foldLines(lines: readonly string[], max: number): Folded {
  if (lines.length <= max) return { first: lines, hidden: 0, last: [] };
  const first = lines.slice(0, Math.ceil((max * 2) / 3));
  const last = lines.slice(lines.length - (max - first.length));
  return { first, hidden: lines.length - max, last };
}
