/** The part of a list that is shown: from `from` on, up to and without `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** At most `size` places of a list of `length`, with `focus` in their middle as far as the list's ends allow. */
export function spanAround(length: number, focus: number, size: number): Span {
  const last = Math.max(0, length - size);
  const from = Math.min(last, Math.max(0, focus - Math.floor(size / 2)));
  return { from, to: Math.min(length, from + size) };
}
