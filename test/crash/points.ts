import type { Lengths, Trial } from "./matrix.ts";
import { TASK_ID } from "./scenario.ts";

/** Create a deterministic generator of numbers in [0, 1) (mulberry32). */
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
 * Draw trials. First all boundaries between two records; a quarter of the others end in a complete line without its
 * newline; the remaining ones crash within a record, at a random byte, and one in five of them crashes a second time.
 */
export function trials(lengths: Lengths, count: number, seed: number): readonly Trial[] {
  const draw = random(seed);
  const below = (limit: number): number => Math.floor(draw() * limit);
  const lines = [...lengths].flatMap(([task, of]) => of.map((length, record) => ({ task, record, length })));
  const boundaries = spread(lines, count).map(({ task, record }) => ({
    kind: "between two records",
    points: [{ task, record, byte: 0 }],
  }));
  const open = spread(lines, Math.floor((count - boundaries.length) / 4)).map(({ task, record, length }) => ({
    kind: "whole line, no end",
    points: [{ task, record, byte: length }],
  }));
  const remaining = count - boundaries.length - open.length;
  const within = Array.from({ length: remaining }, (_, index): Trial => {
    const { task, record, length } = lines[below(lines.length)] ?? { task: TASK_ID, record: 0, length: 2 };
    const inside = { task, record, byte: 1 + below(length - 1) };
    if (index % 5 !== 0) return { kind: "within a record", points: [inside] };
    return {
      kind: "within a record, twice",
      points: [inside, { task, record: record + below(5), byte: below(200) }],
    };
  });
  return [...boundaries, ...open, ...within];
}

/** At most `most` items, evenly spaced. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return items.filter(
    (_, index) => Math.floor(((index + 1) * most) / items.length) > Math.floor((index * most) / items.length),
  );
}
