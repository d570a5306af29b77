import type { Change } from "../../machines/task/change.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task of texts, or with a subtask, that a person pauses. */
const PAUSED_TASK = {
  input: { completion: "end_turn" },
  bounds: { turns: 2, blocks: 1, queued: 0, interruptions: 1, crashes: 1, pausing: true, tools: ["read"] },
} as const;

export const PAUSE_FAULTS: readonly Fault[] = [
  {
    name: "pause ignored before the next request",
    law: "PAUSE",
    provide: { guards: { isPausing: () => false } },
    ...PAUSED_TASK,
  },
  {
    name: "pause not recorded while the task works",
    law: "PAUSE",
    file: "task/pause.ts",
    replace: () => ({ askToPause: () => {} }),
    ...PAUSED_TASK,
  },
  {
    name: "pause kept when the task rests for another reason",
    law: "PAUSE",
    file: "task/pause.ts",
    replace: () => ({ dropPause: () => {} }),
    ...PAUSED_TASK,
  },
  {
    name: "paused task that says nothing of its pause",
    law: "PAUSE",
    file: "task/pause.ts",
    replace: async () => {
      const { postAsk } = await import("../../machines/task/asks.ts");
      return {
        pause: (change: Change) => {
          change.set({ pause: "resting" });
          postAsk(change, "resume_task", "");
        },
      };
    },
    ...PAUSED_TASK,
  },
  {
    name: "pause that does not end with the answer",
    law: "PAUSE",
    file: "task/pause.ts",
    replace: () => ({ endPause: ({ context }: Change) => context.pause !== null }),
    ...PAUSED_TASK,
  },
  {
    name: "pause resumed as an interruption",
    law: "PAUSE",
    file: "task/pause.ts",
    replace: ({ endPause }) => ({
      endPause: (change: Change) => {
        endPause(change);
        return false;
      },
    }),
    ...PAUSED_TASK,
  },
  {
    name: "pause that interrupts the calls of the turn",
    law: "PAUSE",
    file: "task/pause.ts",
    replace: async () => {
      const { stopCalls } = await import("../../machines/task/calls.ts");
      return {
        askToPause: (change: Change) => {
          stopCalls(change);
          change.set({ pause: "asked" });
        },
      };
    },
    ...PAUSED_TASK,
  },
];
