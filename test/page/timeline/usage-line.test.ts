import { expect, it } from "vitest";
import { largest, usageLine } from "../../../visualize/page/timeline/usage-line.ts";

it("a step line has at most one step for each pixel, and it is the last one", () => {
  const steps = [0, 0.4, 0.9, 1.2, 7].map((x, value) => ({ x, value }));
  expect(usageLine(steps)).toEqual([
    { x: 0.9, value: 2 },
    { x: 1.2, value: 3 },
    { x: 7, value: 4 },
  ]);
  const many = Array.from({ length: 50_000 }, (_, at) => ({ x: at / 100, value: at }));
  expect(usageLine(many)).toHaveLength(500);
});

it("the largest value ignores unknown ones", () => {
  expect(largest([{ value: 3 }, { value: null }, { value: 1 }])).toBe(3);
  expect(largest([])).toBe(0);
});
