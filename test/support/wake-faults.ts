import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task of texts with one wake-up at a time. */
const WOKEN_TASK = {
  input: { completion: "end_turn", limits: { wakeUps: 1, requests: 2 } },
  bounds: { turns: 2, blocks: 1, queued: 0, interruptions: 1, crashes: 1, wakes: true, tools: ["wake"] },
} as const;

const inWake = (name: string, replace: NonNullable<Fault["replace"]>): Fault => ({
  name,
  law: "WAKE",
  file: "task/wake.ts",
  replace,
  ...WOKEN_TASK,
});

/** A guard that takes an event at any due time, whatever the task waits for. */
const isDueAnywhere = (context: TaskContext, event: TaskEvent): boolean =>
  "at" in event && context.wakeUps.some(({ at }) => at <= event.at);

/** Runs the original with a change that ignores new values of the wake-ups. */
const keepingWakeUps =
  (wake: (change: Change) => void) =>
  (change: Change): void => {
    const { wakeUps } = change.context;
    wake(change);
    change.set({ wakeUps });
  };

/** Deliberate bugs in wake-ups. */
export const WAKE_FAULTS: readonly Fault[] = [
  inWake("wake-up that stays due after its message", ({ wake }) => ({ wake: keepingWakeUps(wake) })),
  inWake("wake-up without its message", ({ wake }) => ({
    wake: (change: Change) => {
      const { append } = change;
      change.append = (draft) => (draft.say === "wake_up" ? 0 : append.call(change, draft));
      wake(change);
    },
  })),
  inWake("wake-up that continues a task at a limit", () => ({ isDue: isDueAnywhere })),
  {
    ...inWake("wake-up that continues a paused task", () => ({ isDue: isDueAnywhere })),
    bounds: { ...WOKEN_TASK.bounds, pausing: true },
    input: { completion: "end_turn", limits: { wakeUps: 1 } },
  },
  inWake("wake-ups of an interval that end with the first", ({ wake }) => ({
    wake: (change: Change) => {
      wake(change);
      change.set({ wakeUps: [] });
    },
  })),
  {
    ...inWake("earlier wake-ups lost when another is scheduled", () => ({
      scheduleWakeUp: (change: Change) => {
        const { event } = change;
        if (event.type === "wake.scheduled") change.set({ wakeUps: [event.wakeUp] });
      },
    })),
    input: { completion: "end_turn", limits: { wakeUps: 2, requests: 2 } },
  },
  {
    ...inWake("wake-up forgotten by a crash", ({ factsIn }) => ({
      factsIn: ({ wakeUps: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    })),
    law: "L11",
    file: "task/commit.ts",
  },
];
