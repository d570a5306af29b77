import { expect, test } from "vitest";
import { medianInterval } from "../../bench/compare/interval.ts";

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => count - index);

test.each([
  [2, 1, 2],
  [5, 1, 5],
  [6, 1, 6],
  [9, 2, 8],
  [15, 4, 12],
  [30, 10, 21],
])(
  "the interval of the median of %i values equals the tables of the sign test: %i to %i",
  (count, low, high) => {
    expect(medianInterval(upTo(count))).toEqual([low, high]);
  },
);

test("the interval misses the median of few samples in a hundred, whatever their distribution", () => {
  // Each value is above or below the median like a toss: all outcomes of eleven tosses.
  const tosses = 11;
  let missed = 0;
  for (let outcome = 0; outcome < 2 ** tosses; outcome += 1) {
    const values = Array.from({ length: tosses }, (_, toss) => ((outcome >> toss) & 1 ? 1 : -1) * (toss + 1));
    const [low, high] = medianInterval(values);
    if (low > 0 || high < 0) missed += 1;
  }
  expect(missed / 2 ** tosses).toBeLessThanOrEqual(0.05);
  expect(missed).toBeGreaterThan(0);
});
