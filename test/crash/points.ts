import type { Trial } from "./matrix.ts";
import { TASK_ID } from "./scenario.ts";

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * So many trials. First each boundary between two records; a quarter of the rest are whole lines whose end is missing;
 * of what remains, each fifth dies in a record and again while it is opened or soon after, and the others within a
 * record, at bytes that the seed draws.
 */
export function trials(lengths: readonly number[], count: number, seed: number): readonly Trial[] {
  const draw = random(seed);
  const below = (limit: number): number => Math.floor(draw() * limit);
  const point = (record: number, byte: number) => ({ task: TASK_ID, record, byte });
  const records = [...lengths.keys()];
  const boundaries = spread(records, count).map((record) => ({
    kind: "between two records",
    points: [point(record, 0)],
  }));
  const open = spread(records, Math.floor((count - boundaries.length) / 4)).map((record) => ({
    kind: "whole line, no end",
    points: [point(record, lengths[record] ?? 0)],
  }));
  const rest = count - boundaries.length - open.length;
  const within = Array.from({ length: rest }, (_, index) => {
    const record = below(lengths.length);
    const inside = point(record, 1 + below((lengths[record] ?? 2) - 1));
    return index % 5 === 0
      ? { kind: "within a record, twice", points: [inside, point(record + below(5), below(200))] }
      : { kind: "within a record", points: [inside] };
  });
  return [...boundaries, ...open, ...within];
}

/** At most so many of them, evenly. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return items.filter(
    (_, index) => Math.floor(((index + 1) * most) / items.length) > Math.floor((index * most) / items.length),
  );
}
