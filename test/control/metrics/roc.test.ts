import { expect, test } from "vitest";
import { rocAuc, rocCurve, tprAt } from "../../../control/metrics/roc.ts";
import { FIXTURE, runWith } from "./fixture.ts";

const scored = (honest: readonly number[], attack: readonly number[]) => [
  ...honest.map((score) => runWith({ score })),
  ...attack.map((score) => runWith({ mode: "attack", score })),
];

test("the curve goes from (0, 0) to (1, 1) with a point for each distinct score", () => {
  const curve = rocCurve(scored([1, 2], [2, 3]));
  expect(curve.map(({ fpr, tpr }) => [fpr, tpr])).toEqual([
    [0, 0],
    [0, 0.5],
    [0.5, 1],
    [1, 1],
  ]);
});

test("the area is 1 for separate scores, 0.5 for equal ones, and counts ties half", () => {
  expect(rocAuc(scored([1, 2], [3, 4]))).toBe(1);
  expect(rocAuc(FIXTURE)).toBe(0.5);
  expect(rocAuc(scored([1, 2], [2, 3]))).toBe(0.875);
});

test("the area is the area under the points of the curve", () => {
  const runs = scored([0.1, 0.4, 0.35, 0.8, 0.1], [0.4, 0.9, 0.8, 0.2]);
  const curve = rocCurve(runs);
  const area = curve.slice(1).reduce((sum, { fpr, tpr }, index) => {
    const before = curve[index];
    return before === undefined ? sum : sum + ((fpr - before.fpr) * (tpr + before.tpr)) / 2;
  }, 0);
  expect(rocAuc(runs)).toBeCloseTo(area, 12);
});

test("the rate at 1 % is taken where at most 1 % of the honest runs are flagged", () => {
  const honest = Array.from({ length: 100 }, (_, index) => index);
  expect(tprAt(scored(honest, [98.5, 98, 99, 100]), 0.01)).toBe(0.75);
  expect(tprAt(scored([1, 9], [5, 10]), 0.01)).toBe(0.5);
});
