import { describe, expect, it } from "vitest";
import { exploreOwnership, type OwnershipOptions } from "../../../verify/ownership/exploration.ts";

const NONE = { kills: 0, stops: 0, cuts: 0 };

/** Bounds within which every world is visited in seconds. */
const CASES: readonly (readonly [name: string, bounds: OwnershipOptions])[] = [
  ["two effects", { effects: 2, losses: 0, faults: NONE }],
  ["registrations that take time", { effects: 1, losses: 0, registration: true, faults: NONE }],
  ["a process that is killed", { effects: 1, losses: 0, faults: { ...NONE, kills: 1 } }],
];

describe("two workers own one task by the laws of ownership, with", () => {
  it.each(CASES)("%s", (_, bounds) => {
    const { violation, isComplete, states, steps } = exploreOwnership(bounds);
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
    expect({ states, steps }).toMatchSnapshot();
  });
});
