import type { Change } from "../../machines/task/change.ts";
import { subtaskStep } from "../../machines/task/subtask-outcome.ts";
import type { ChainRules } from "../../verify/subtasks/chain.ts";
import { type ChainPlan, chainPlan } from "../../verify/subtasks/chain-plan.ts";
import type { Fault } from "./seeded-faults.ts";

/** A deliberate bug in a machine, or in what three of them are composed with. */
export interface ChainFault extends Pick<Fault, "name" | "law" | "file" | "replace"> {
  readonly plan: ChainPlan;
  readonly rules?: Partial<ChainRules>;
}

const REQUESTS = 20;
const NESTED: ChainPlan = { tasks: chainPlan(["foreground", "foreground"]), interruptions: 1, pauses: true };
const BESIDE: ChainPlan = { tasks: chainPlan(["foreground", "background"]), interruptions: 1, pauses: true };
const GRANTED: ChainPlan = {
  tasks: chainPlan(["foreground", "foreground"], "wait", REQUESTS),
  interruptions: 1,
};
const CANCELS: ChainPlan = { tasks: chainPlan(["foreground", "background"], "cancel"), interruptions: 0 };

/** Deliberate bugs that one task, or a parent with one subtask, does not show. */
export const CHAIN_FAULTS: readonly ChainFault[] = [
  {
    name: "cancel of the root that does not reach the grandchild",
    law: "TREE",
    plan: NESTED,
    rules: { cancels: (depth) => depth < 2, stops: (depth) => depth < 2 },
  },
  {
    name: "pause of the root that does not reach the grandchild",
    law: "PAUSE",
    plan: NESTED,
    rules: { pauses: (depth) => depth < 2 },
  },
  {
    name: "grandchild in the background cancelled by a pause of the root",
    law: "PAUSE",
    plan: BESIDE,
    rules: { staysOpen: () => false },
  },
  {
    name: "result of the grandchild joined by the root",
    law: "JOIN",
    plan: NESTED,
    rules: { receiver: () => 0 },
  },
  {
    name: "result of the grandchild in the background joined by the root",
    law: "JOIN",
    plan: BESIDE,
    rules: { receiver: () => 0 },
  },
  {
    name: "share of a budget that the child also leaves to the grandchild",
    law: "BUDGET",
    plan: GRANTED,
    rules: {
      grant: (grant, depth) =>
        depth === 2 && grant?.requests !== undefined ? { ...grant, requests: 2 * grant.requests } : grant,
    },
  },
  {
    name: "rest of the grandchild put back twice by the child",
    law: "BUDGET",
    plan: GRANTED,
    file: "task/budget.ts",
    replace: ({ putBackRest }) => ({
      putBackRest: (change: Change, rest: unknown) => {
        putBackRest(change, rest);
        if (change.context.budget?.state === "lent") putBackRest(change, rest);
      },
    }),
  },
  {
    name: "child completed before the subtask in its background has ended",
    law: "JOIN",
    plan: { ...BESIDE, interruptions: 0 },
    file: "task/background-subtasks.ts",
    replace: () => ({ stepBeforeCompletion: () => undefined, cancelAtCompletion: () => {} }),
  },
  {
    name: "subtask in the background not stopped by the completion of the child",
    law: "JOIN",
    plan: CANCELS,
    rules: { stops: () => false },
  },
  {
    name: "ended grandchild created again after a crash",
    law: "L12",
    plan: NESTED,
    rules: {
      step: (found) => (found.journal === "none" ? subtaskStep(found) : "create"),
    },
  },
];
