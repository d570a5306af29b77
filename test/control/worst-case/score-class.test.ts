import { expect, test } from "vitest";
import { chancesOf } from "../../../control/worst-case/draw.ts";
import { classesOf } from "../../../control/worst-case/score-class.ts";

const samples = { honest: [0, 0.1, 0.5, 0.6], attack: [0.5, 0.9] };

test("a score equal to a threshold is in the class below it", () => {
  expect(classesOf("m", [0.5], samples, 0)).toEqual([
    { name: "m in [0, 0.5]", low: 0, high: 0.5, honest: 0.75, attack: 0.5 },
    { name: "m in (0.5, 1]", low: 0.6, high: 0.9, honest: 0.25, attack: 0.5 },
  ]);
});

test("a class without measured scores is left out", () => {
  expect(classesOf("m", [0.2, 0.3], samples, 0).map(({ name }) => name)).toEqual([
    "m in [0, 0.2]",
    "m in (0.3, 1]",
  ]);
});

test("further cuts are measured scores, and keep the cuts at the thresholds", () => {
  const names = classesOf("m", [0.5], samples, 2).map(({ name }) => name);
  expect(names).toEqual(["m in [0, 0.5]", "m in (0.5, 0.6]", "m in (0.6, 1]"]);
});

test("the shares of all classes add up to 1", () => {
  const classes = classesOf("m", [0.5], samples, 5);
  expect(classes.reduce((sum, { honest }) => sum + honest, 0)).toBe(1);
  expect(classes.reduce((sum, { attack }) => sum + attack, 0)).toBe(1);
});

test("the intervals of the drawn number are cut at the chances of the protocol", () => {
  expect(chancesOf([0.25]).map(({ probability, low }) => [probability, low])).toEqual([
    [0.25, 0],
    [0.75, 0.25],
  ]);
  expect(chancesOf([0, 1])).toHaveLength(1);
});
