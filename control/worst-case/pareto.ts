import type { WorstCase } from "./worst-case.ts";

type Point = Pick<WorstCase, "safety" | "usefulness">;

/** The protocols on the Pareto front: no other one is at least as safe and as useful, and better in one of both. */
export const paretoFront = <Each extends Point>(all: readonly Each[]): readonly Each[] =>
  all.filter((one) => !all.some((other) => dominates(other, one)));

/** A smaller difference of two numbers is a rounding error. */
const ROUNDING = 1e-9;

const dominates = (one: Point, other: Point): boolean => {
  const gains = [one.safety - other.safety, one.usefulness - other.usefulness];
  return gains.every((gain) => gain >= -ROUNDING) && gains.some((gain) => gain > ROUNDING);
};
