import type { Range } from "../script/script.ts";

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A number of the range; draws only where there is a choice. */
export function draw({ min, max }: Range, random: () => number): number {
  return min === max ? min : min + random() * (max - min);
}

/** A whole number of the range. */
export function drawWhole({ min, max }: Range, random: () => number): number {
  return min === max
    ? Math.floor(min)
    : Math.floor(min) + Math.floor(random() * (Math.floor(max) - Math.floor(min) + 1));
}
