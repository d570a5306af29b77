import { afterEach, describe, expect, test, vi } from "vitest";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { exploreChain } from "../../../verify/subtasks/chain-exploration.ts";
import { CHAIN_LAWS } from "../../../verify/subtasks/chain-laws.ts";
import { type ChainPlan, chainPlan } from "../../../verify/subtasks/chain-plan.ts";
import { CHAIN_FAULTS } from "../../support/chain-faults.ts";
import { withFault } from "../../support/seeded-faults.ts";

const MAX_STATES = 25_000;

/** The parts of each exploration. The number of states is the bound, or less where all within the other bounds were visited. */
const PLANS: readonly (readonly [name: string, plan: ChainPlan])[] = [
  [
    "a parent and its subtask in the background",
    { tasks: chainPlan(["background"], "wait", 20), interruptions: 1, pauses: true, unreadable: true },
  ],
  [
    "a parent that cancels the subtask in its background",
    { tasks: chainPlan(["background"], "cancel", 20), interruptions: 1, pauses: true, unreadable: true },
  ],
  [
    "three tasks, each the foreground of the next",
    {
      tasks: chainPlan(["foreground", "foreground"], "wait", 20),
      interruptions: 1,
      pauses: true,
      unreadable: true,
    },
  ],
  [
    "a grandchild in the background of the child, which waits for it",
    { tasks: chainPlan(["foreground", "background"], "wait", 20), interruptions: 1, pauses: true },
  ],
  [
    "a grandchild in the background of the child, which cancels it",
    { tasks: chainPlan(["foreground", "background"], "cancel", 20), interruptions: 1, pauses: true },
  ],
];

describe("tasks that are each the parent of the next", () => {
  test.each(PLANS)(
    `obey their laws in every state within one crash, cancel or pause, up to ${MAX_STATES} states: %s`,
    (name, plan) => {
      const start = performance.now();
      const { states, steps, complete, violations } = exploreChain({
        machine: taskMachine,
        plan,
        maxStates: MAX_STATES,
      });
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${name}: ${states} states, ${steps} steps, ${seconds} s${complete ? ", complete" : ""}`);
      expect(violations).toEqual([]);
      expect(complete || states >= MAX_STATES).toBe(true);
    },
  );
});

describe("a seeded fault of tasks that are each the parent of the next", () => {
  const found: string[] = [];

  afterEach(() => {
    vi.resetModules();
  });

  test.each(CHAIN_FAULTS)("is caught by its law ($law): $name", async (fault) => {
    const machine = await withFault(fault);
    const { plan, rules = {} } = fault;
    const laws = CHAIN_LAWS.filter(({ id }) => id === fault.law);
    const { violations, states } = exploreChain({ machine, plan, rules, laws, maxStates: MAX_STATES });
    console.log(`${fault.name}: ${states} states`);
    found.push(`${fault.name}\n${violations.map(({ law, what }) => `${law}: ${what}`).join("\n")}`);
    expect(violations.map(({ law }) => law)).toContain(fault.law);
  });

  test("has the committed counterexample", async () => {
    await expect(`${found.join("\n\n")}\n`).toMatchFileSnapshot("chain-counterexamples.txt");
  });
});
