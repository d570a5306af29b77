import { expect, test } from "vitest";
import { combine } from "../../control/monitor.ts";

test("the score of an ensemble is the mean or the maximum of its members", () => {
  expect(combine("mean", [0.2, 0.6])).toBe(0.4);
  expect(combine("max", [0.2, 0.6])).toBe(0.6);
});

test("a member that gives no valid score has the score 1", () => {
  expect(combine("mean", [0, Number.NaN])).toBe(0.5);
  expect(combine("max", [0, 7])).toBe(1);
});
