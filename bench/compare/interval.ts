/** The probability that the interval does not contain the median. */
const MISSES = 0.05;

/**
 * The narrowest interval between two of the values that contains the true median with a probability of 95 %, for every
 * distribution (sign test). Fewer than six values have no such interval: the result is their range.
 */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  let skipped = 0;
  // The median is outside of the remaining values if at most `skipped` values are on one side of it.
  while (2 * atMost(skipped, sorted.length) <= MISSES) skipped += 1;
  const rank = Math.max(0, skipped - 1);
  return [sorted.at(rank) ?? Number.NaN, sorted.at(-1 - rank) ?? Number.NaN];
}

/** The probability of at most `heads` heads in `tosses` tosses. */
function atMost(heads: number, tosses: number): number {
  let ways = 1;
  let total = 0;
  for (let count = 0; count <= heads; count += 1) {
    total += ways;
    ways = (ways * (tosses - count)) / (count + 1);
  }
  return total / 2 ** tosses;
}
