import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { createCase, exploreRaces, type Law } from "../../verify/index.ts";
import type { RaceOptions } from "../../verify/races.ts";

/** Bounds of the first state alone, so that only a race goes further. */
const met = (options: Partial<RaceOptions> = {}) =>
  exploreRaces({
    machine: taskMachine,
    laws: [],
    ...createCase({ calls: 0, interruptions: 1 }),
    maxStates: 2,
    ...options,
  });

describe("a race of two events", () => {
  it("breaks a law in one order, and its path ends with both events", () => {
    const law: Law = {
      id: "HOUSE-1",
      title: "a started task continues",
      violation: ({ before, event }) =>
        before.state === "running.starting" && event.type === "task.cancel" ? "it was cancelled" : undefined,
    };
    const { violations } = met({ laws: [law] });
    expect(violations).toMatchObject([
      { law: "HOUSE-1", title: "a started task continues", what: "it was cancelled" },
    ]);
    expect(violations[0]?.path.map(({ type }) => type)).toEqual(["task.start", "task.cancel"]);
  });

  it("is reported with the event that the machine threw for, and is not counted", () => {
    const failing = assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
      throw new RangeError("no actor is active");
    });
    const machine = taskMachine.provide({ actions: { interruptTurn: failing } });
    const { violations, pairs } = met({ machine });
    const [violation] = violations;
    expect(violation).toMatchObject({
      law: "INVARIANT",
      title: "the machine throws nothing",
      what: "RangeError: no actor is active",
    });
    expect(violation?.path.map(({ type }) => type)).toEqual(["task.start", "task.cancel"]);
    expect(pairs).toBeLessThan(met().pairs);
  });

  it("is counted by the state of the machine that it happens in", () => {
    const { races } = met({ ...createCase({ calls: 0 }), maxStates: 40, everywhere: true });
    expect(races.length).toBeGreaterThan(0);
    for (const race of races)
      expect([...race.in.values()].reduce((sum, states) => sum + states, 0)).toBe(race.states);
    expect(new Set(races.flatMap((race) => [...race.in.keys()])).size).toBeGreaterThan(1);
  });

  it("is explored in the first state of each kind, or in every state", () => {
    expect(met()).toMatchObject({ states: 2, sampled: 1, complete: false, violations: [] });
    const more = { ...createCase({ calls: 0 }), maxStates: 40 };
    const [some, all] = [met(more), met({ ...more, everywhere: true })];
    expect(all.states).toBe(some.states);
    expect(all.sampled).toBeGreaterThan(some.sampled);
    expect(all.pairs).toBeGreaterThan(some.pairs);
    expect(all.races.map(({ first, second }) => `${first}, ${second}`)).toEqual(
      expect.arrayContaining(some.races.map(({ first, second }) => `${first}, ${second}`)),
    );
  });

  it("is reported together with the violations of the exploration", () => {
    const law: Law = { id: "HOUSE-2", title: "nothing begins", violation: () => "it began" };
    const { violations } = met({ laws: [law] });
    expect(violations.filter(({ path }) => path.length === 1).length).toBeGreaterThan(1);
  });
});
