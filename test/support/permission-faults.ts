import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { ValidReview } from "../../machines/tool-call/call.ts";
import { faultyStep } from "./faulty-step.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task whose permissions change, with snapshots: an approved call waits for one. */
const PERMITTED = {
  input: { checkpoints: true },
  bounds: { turns: 1, queued: 0, interruptions: 0, permits: true, tools: ["write", "switch"] },
} as const;

const inPermissions = (law: string, name: string, replace: NonNullable<Fault["replace"]>): Fault => ({
  name,
  law,
  ...PERMITTED,
  file: "task/permissions.ts",
  replace,
});

const inVerdict: typeof inPermissions = (...of) => ({ ...inPermissions(...of), file: "task/verdict.ts" });

/** Deliberate bugs in what is permitted to a task. */
export const PERMISSION_FAULTS: readonly Fault[] = [
  inPermissions("GATE", "verdict of earlier permissions used", () => ({ isStale: () => false })),
  inPermissions("GATE", "permissions changed without a revision", () => ({
    changePermissions: (change: Change) => {
      const { event, context } = change;
      if (event.type !== "permissions.changed") return;
      change.set({ permissions: { ...context.permissions, mode: event.mode ?? "ask" } });
    },
  })),
  inPermissions("GATE", "mode switched without a revision", () => ({
    selectMode: (change: Change, mode: string) => change.set({ mode }),
  })),
  inPermissions("L1", "ask withdrawn without a message", ({ withdrawApproval }) => ({
    withdrawApproval: (change: Change) => {
      const append = change.append.bind(change);
      change.append = (draft) => (draft.say === "permissions_changed" ? 0 : append(draft));
      withdrawApproval(change);
    },
  })),
  inPermissions("GATE", "open ask kept when the permissions change", () => ({ withdrawApproval: () => {} })),
  {
    name: "a looser mode judges the open ask",
    law: "GATE",
    ...PERMITTED,
    file: "task/permissions.ts",
    replace: ({ changePermissions }) => ({ holdPermissions: changePermissions }),
  },
  {
    name: "a withdrawn ask forgotten when its call is judged again",
    law: "GATE",
    ...PERMITTED,
    ...faultyStep("permissions.changed", (step) => (...of) => {
      const { asked: _, ...again } = step(...of);
      return again;
    }),
  },
  {
    name: "a held change forgotten when the ask is closed",
    law: "GATE",
    ...PERMITTED,
    file: "task/held-permissions.ts",
    replace: () => ({ applyHeldPermissions: () => {} }),
  },
  {
    name: "a held change dropped when the ask is closed",
    law: "GATE",
    ...PERMITTED,
    file: "task/held-permissions.ts",
    replace: () => ({
      applyHeldPermissions: (change: Change) => {
        const { held, ...permissions } = change.context.permissions;
        if (held !== undefined) change.set({ permissions });
      },
    }),
  },
  inVerdict("PLAN", "mode plan leaves the verdict to the policy", () => ({
    verdictOn: (_context: unknown, _call: unknown, { verdict }: ValidReview) => verdict,
  })),
  inVerdict("L7", "a call allowed that is asked about", () => ({
    verdictOn: () => ({ kind: "allow", rule: "any" }),
  })),
  {
    ...inVerdict("GATE", "a call allowed whose tool needs approval", ({ verdictOn }) => ({
      verdictOn: (context: TaskContext, call: never, { needsApproval: _, ...review }: ValidReview) =>
        verdictOn(context, call, review),
    })),
    bounds: { ...PERMITTED.bounds, amends: true },
  },
  {
    name: "permissions missing from every commit",
    law: "L11",
    ...PERMITTED,
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ permissions: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
];
