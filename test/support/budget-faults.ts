import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import type { Fault } from "./seeded-faults.ts";

const nothing = (): void => {};

/** A subtask with a grant, which may start one itself. */
const GRANTED = {
  input: {
    budget: { from: "parent", grant: { requests: 4, tasks: 1, depth: 1, cost: 1 } },
    limits: { requests: 2 },
  },
  bounds: { turns: 2, queued: 0, interruptions: 0, tools: ["complete", "delegate"] },
} as const;

const inBudget = (name: string, replace: Fault["replace"], more: Partial<Fault> = {}): Fault => ({
  name,
  law: "BUDGET",
  ...GRANTED,
  file: "task/budget.ts",
  ...(replace !== undefined && { replace }),
  ...more,
});

const SPENT_SOON = {
  ...GRANTED.input,
  budget: { from: "parent", grant: { requests: 2, tasks: 1, depth: 1, cost: 0.01 } },
} as const;

/** Deliberate bugs in the budget of a task. */
export const BUDGET_FAULTS: readonly Fault[] = [
  inBudget("request not spent from the budget", () => ({ spendRequest: nothing })),
  inBudget("cost not spent from the budget", () => ({ spendCost: nothing })),
  inBudget("grant of a subtask not deducted", () => ({
    deductGrant: ({ context: { budget } }: Change): Grant | undefined =>
      budget?.state === "lent" ? { ...budget.left, tasks: 0, depth: 0 } : undefined,
  })),
  inBudget("rest of a grant lost", () => ({ putBackRest: nothing })),
  inBudget("rest of a grant put back twice", ({ putBackRest }) => ({
    putBackRest: (change: Change, rest: Grant) => {
      putBackRest(change, rest);
      putBackRest(change, rest);
    },
  })),
  inBudget("rest of a grant kept after the completion", () => ({ returnRest: nothing })),
  inBudget("rest of a grant returned and kept", () => ({
    returnRest: ({ context: { budget } }: Change) => (budget?.state === "lent" ? budget.left : undefined),
  })),
  inBudget("spent budget not asked about", () => ({ spentAmount: nothing }), { input: SPENT_SOON }),
  inBudget("budget granted again at another limit", ({ extendSpentBudget }) => ({
    extendSpentBudget: (change: Change) => {
      const { budget } = change.context;
      if (budget?.state === "lent") change.set({ budget: { ...budget, left: budget.granted } });
      else extendSpentBudget(change);
    },
  })),
  {
    name: "budget missing from every commit",
    law: "L11",
    ...GRANTED,
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ budget: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
  {
    name: "grant of a subtask missing from its recorded call",
    law: "L11",
    ...GRANTED,
    file: "tool-call/phases.ts",
    replace: ({ toRecordedCall }) => ({
      toRecordedCall: (call: object) => {
        const { grant: _, ...recorded } = toRecordedCall(call) ?? {};
        return "phase" in recorded ? recorded : undefined;
      },
    }),
  },
];
