import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piecewise, wholeTicks } from "../../../visualize/page/timeline/piecewise.ts";

describe("a piecewise linear function", () => {
  const scale = piecewise([0, 10, 20], [0, 100, 110]);

  it("has a line between two points each, and goes on beyond the ends", () => {
    expect([-1, 0, 5, 10, 15, 20, 30].map(scale)).toEqual([-10, 0, 50, 100, 105, 110, 120]);
  });

  it("has the value of its start where a part has no length, and the part after it decides at its point", () => {
    const folded = piecewise([0, 10, 10, 20], [0, 5, 50, 60]);
    expect([9, 10, 11].map(folded)).toEqual([4.5, 50, 51]);
    expect(piecewise([0, 10, 10], [0, 5, 50])(10)).toBe(5);
  });

  it("is undone by the function of its values", () => {
    const back = piecewise([0, 100, 110], [0, 10, 20]);
    fc.assert(
      fc.property(fc.double({ min: -50, max: 50, noNaN: true }), (x) => {
        expect(back(scale(x))).toBeCloseTo(x, 6);
      }),
    );
  });
});

describe("ticks of whole numbers", () => {
  it("are multiples of 1, 2 or 5 times a power of ten", () => {
    expect(wholeTicks(0, 6, 10)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(wholeTicks(3, 41, 5)).toEqual([10, 20, 30, 40]);
    expect(wholeTicks(0, 1_000, 4)).toEqual([0, 200, 400, 600, 800, 1_000]);
    expect(wholeTicks(0.5, 0.9, 10)).toEqual([]);
  });

  it("are about as many as asked for, and within the range", () => {
    const range = fc.tuple(fc.nat(100_000), fc.integer({ min: 20, max: 100_000 }));
    fc.assert(
      fc.property(range, fc.integer({ min: 2, max: 20 }), ([from, length], count) => {
        const ticks = wholeTicks(from, from + length, count);
        expect(ticks.length).toBeGreaterThan(count / 2 - 1);
        expect(ticks.length).toBeLessThan(2 * count + 1);
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(from);
          expect(tick).toBeLessThanOrEqual(from + length);
        }
      }),
    );
  });
});
