import { describe, expect, it } from "vitest";
import { exploreOwnership, type OwnershipOptions } from "../../../verify/ownership/exploration.ts";

const NONE = { kills: 0, stops: 0, cuts: 0 };
/** Worlds of a larger exploration, by the number of their steps: breadth first. */
const FIRST_WORLDS = 40_000;

const BEGUN: readonly (readonly [name: string, bounds: OwnershipOptions])[] = [
  ["leases that are lost", { losses: 1, faults: NONE }],
  ["a process that is killed", { losses: 0, faults: { ...NONE, kills: 1 } }],
  ["a process that is stopped for any time", { losses: 1, faults: { ...NONE, stops: 1 } }],
  ["a connection that is cut", { losses: 1, faults: { ...NONE, cuts: 1 } }],
];

describe("two workers own one task by the laws of ownership", () => {
  it.each([false, true])(
    "in every world without faults, where registrations take time: %s",
    (registration) => {
      const bounds = { effects: 1, losses: 0, registration, faults: NONE };
      const { violation, isComplete, states, steps } = exploreOwnership(bounds);
      expect(violation).toBeUndefined();
      expect({ isComplete, states, steps }).toMatchSnapshot();
    },
  );

  it.each(BEGUN)(`in the first ${FIRST_WORLDS} worlds with %s`, (_, bounds) => {
    const { violation, states } = exploreOwnership({ ...bounds, effects: 1, maxStates: FIRST_WORLDS });
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThanOrEqual(FIRST_WORLDS);
  });
});
