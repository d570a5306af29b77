import { describe, expect, it } from "vitest";
import { steadyClock } from "../../../store/ownership/steady-clock.ts";
import { exploreOwnership, type OwnershipOptions } from "../../../verify/ownership/exploration.ts";
import { timeSeen } from "../../../verify/ownership/rules.ts";

type Bounds = readonly (readonly [name: string, bounds: OwnershipOptions])[];

/** Worlds of a larger exploration, by the number of their steps: breadth first. */
const FIRST_WORLDS = 20_000;

const TWO: Bounds = [
  ["no faults", { losses: 0, leaseTicks: 4 }],
  ["no faults, where registrations take time", { losses: 0, leaseTicks: 3, registration: true }],
  ["a process that is killed", { losses: 0, leaseTicks: 3, faults: { kills: 1 } }],
  ["a clock that is set forward or back", { losses: 2, leaseTicks: 2, faults: { clocks: 1 } }],
];

const THREE: Bounds = [
  ["no faults", { losses: 0, leaseTicks: 3 }],
  ["leases that end", { losses: 3, leaseTicks: 2 }],
  ["a process that is killed", { losses: 3, leaseTicks: 2, faults: { kills: 1 } }],
  ["a process that is stopped for any time", { losses: 3, leaseTicks: 2, faults: { stops: 1 } }],
  ["a connection that is cut", { losses: 3, leaseTicks: 2, faults: { cuts: 1 } }],
  ["a clock that is set forward or back", { losses: 1, leaseTicks: 2, faults: { clocks: 1 } }],
];

const BEGUN: Bounds = [
  ["two workers and leases that are lost", { losses: 1 }],
  ["two workers and a process that is killed", { losses: 0, faults: { kills: 1 } }],
  ["two workers and a process that is stopped for any time", { losses: 1, faults: { stops: 1 } }],
  ["two workers and a connection that is cut", { losses: 1, faults: { cuts: 1 } }],
  [
    "three workers and one of each fault",
    { workers: 3, leaseTicks: 3, losses: 3, faults: { kills: 1, stops: 1, cuts: 1, clocks: 1 } },
  ],
];

function explored(bounds: OwnershipOptions) {
  const { violation, isComplete, states, steps } = exploreOwnership({ effects: 1, ...bounds });
  expect(violation).toBeUndefined();
  return { isComplete, states, steps };
}

describe("owners of one task hold the laws of ownership", () => {
  it.each(TWO)("in every world of two workers with %s", (_, bounds) => {
    const figures = explored(bounds);
    expect(figures.isComplete).toBe(true);
    expect(figures).toMatchSnapshot();
  });

  it.each(THREE)("in every world of three workers with %s", (_, bounds) => {
    const figures = explored({ workers: 3, ...bounds });
    expect(figures.isComplete).toBe(true);
    expect(figures).toMatchSnapshot();
  });

  it.each(BEGUN)(`in the first ${FIRST_WORLDS} worlds of %s`, (_, bounds) => {
    const { states } = explored({ ...bounds, maxStates: FIRST_WORLDS });
    expect(states).toBeGreaterThanOrEqual(FIRST_WORLDS);
  });

  it("with a clock that passes as much time as the clock of workers, when the system's clock is set", () => {
    for (const set of [4, 2, 0, -2, -4]) {
      let wall = 10;
      const now = steadyClock(
        () => 0,
        () => wall,
      );
      wall += set;
      expect(now()).toBe(timeSeen(set));
    }
  });
});

describe("worlds that differ only in the names of workers", () => {
  it.each([2, 3])("are one of up to all orders of %s workers", (workers) => {
    const bounds = { workers, leaseTicks: 2, losses: 2, faults: { kills: 1 } };
    const [one, all] = [explored(bounds), explored({ ...bounds, isReduced: false })];
    const orders = workers === 2 ? 2 : 6;
    expect(one.states).toBeLessThan(all.states);
    expect(one.states).toBeGreaterThanOrEqual(all.states / orders);
  });
});
