import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import { ignoring, withPart } from "./changed-change.ts";
import type { Fault } from "./seeded-faults.ts";

const BOUNDS = {
  turns: 3,
  calls: 1,
  blocks: 1,
  queued: 0,
  interruptions: 0,
  tools: ["background"],
} as const;
const LIMITS = { calls: 1, retries: 0, pauses: 1, parallelSubtasks: 2 } as const;

/** A task whose responses start subtasks in the background. */
const STARTS = { input: { limits: LIMITS, completion: "end_turn" }, bounds: BOUNDS } as const;
const CANCELS = { ...STARTS, input: { ...STARTS.input, subtasksAtCompletion: "cancel" } } as const;
const INTERRUPTED = { ...STARTS, bounds: { ...BOUNDS, interruptions: 1 } } as const;
const CRASHES = { ...STARTS, bounds: { ...BOUNDS, crashes: 1 } } as const;
const AWAITS = { ...STARTS, bounds: { ...BOUNDS, tools: ["background", "await"] } } as const;
const ONE_AT_A_TIME = {
  ...STARTS,
  input: { ...STARTS.input, limits: { ...LIMITS, parallelSubtasks: 1 } },
} as const;
const GRANTED = {
  ...STARTS,
  input: {
    ...STARTS.input,
    limits: { ...LIMITS, subtaskShare: 1 },
    budget: { from: "parent", grant: { requests: 5, tasks: 2, depth: 1 } },
  },
} as const;

const FILE = "task/background-subtasks.ts";

const setSubtasks = (
  change: Change,
  next: (subtasks: readonly BackgroundSubtask[]) => readonly BackgroundSubtask[],
): void => change.set({ backgroundSubtasks: next(change.context.backgroundSubtasks) });

/** Deliberate bugs of subtasks in the background. */
export const BACKGROUND_FAULTS: readonly Fault[] = [
  {
    name: "end of a subtask in the background kept after it was told",
    law: "JOIN",
    file: FILE,
    replace: ({ joinSubtasks }) => ({
      joinSubtasks: (change: Change) => {
        const { backgroundSubtasks } = change.context;
        joinSubtasks(change);
        change.set({ backgroundSubtasks });
      },
    }),
    ...STARTS,
  },
  {
    name: "end of a subtask in the background not told",
    law: "JOIN",
    file: FILE,
    replace: ({ joinSubtasks }) => ({
      joinSubtasks: (change: Change) => {
        const { pending } = change.context;
        joinSubtasks(change);
        change.set({ pending });
      },
    }),
    ...STARTS,
  },
  {
    name: "end of a subtask in the background told twice",
    law: "JOIN",
    file: FILE,
    replace: ({ joinSubtasks }) => ({
      joinSubtasks: (change: Change) => {
        const before = change.context.pending.length;
        joinSubtasks(change);
        const { pending } = change.context;
        change.set({ pending: [...pending, ...pending.slice(before)] });
      },
    }),
    ...STARTS,
  },
  {
    name: "end of a subtask in the background without a message",
    law: "JOIN",
    file: FILE,
    replace: ({ joinSubtasks }) => ({
      joinSubtasks: (change: Change) => joinSubtasks(ignoring(change, "append", () => true)),
    }),
    ...STARTS,
  },
  {
    name: "request without the end of a subtask in the background",
    law: "JOIN",
    file: FILE,
    replace: () => ({ joinSubtasks: () => {} }),
    ...STARTS,
  },
  {
    name: "unended subtask in the background dropped with a request",
    law: "L7",
    file: FILE,
    replace: ({ joinSubtasks }) => ({
      joinSubtasks: (change: Change) => {
        joinSubtasks(change);
        setSubtasks(change, () => []);
      },
    }),
    ...STARTS,
  },
  {
    name: "late end of a cancelled subtask in the background accepted",
    law: "JOIN",
    provide: {
      guards: {
        isInBackground: ({ context, event }) =>
          "callId" in event && context.backgroundSubtasks.some(({ callId }) => callId === event.callId),
      },
    },
    ...INTERRUPTED,
  },
  {
    name: "end of one subtask in the background taken for the end of all",
    law: "JOIN",
    file: FILE,
    replace: ({ endBackgroundSubtask }) => ({
      endBackgroundSubtask: (change: Change) => {
        endBackgroundSubtask(change);
        const { event } = change;
        if (event.type === "subtask.ended")
          setSubtasks(change, (subtasks) => subtasks.map((subtask) => ({ ...subtask, end: event.end })));
      },
    }),
    ...STARTS,
  },
  {
    name: "subtask in the background still running after its end",
    law: "L10",
    file: FILE,
    replace: ({ endBackgroundSubtask }) => ({
      endBackgroundSubtask: (change: Change) => endBackgroundSubtask(ignoring(change, "stop", () => true)),
    }),
    ...STARTS,
  },
  {
    name: "subtask in the background not stopped by a cancel",
    law: "L10",
    file: FILE,
    replace: () => ({ stopBackgroundSubtasks: () => {} }),
    ...INTERRUPTED,
  },
  {
    name: "subtask in the background stopped by a cancel without an end",
    law: "JOIN",
    file: FILE,
    replace: ({ stopBackgroundSubtasks }) => ({
      stopBackgroundSubtasks: (change: Change) => {
        const { backgroundSubtasks } = change.context;
        stopBackgroundSubtasks(change);
        change.set({ backgroundSubtasks });
      },
    }),
    ...INTERRUPTED,
  },
  {
    name: "completion beside a subtask in the background",
    law: "JOIN",
    file: FILE,
    replace: () => ({ stepBeforeCompletion: () => undefined }),
    ...STARTS,
  },
  {
    name: "completion before the model has the end of a subtask",
    law: "JOIN",
    file: FILE,
    replace: ({ stepBeforeCompletion }) => ({
      stepBeforeCompletion: (context: TaskContext) => {
        const step: string | undefined = stepBeforeCompletion(context);
        return step === "tell" ? undefined : step;
      },
    }),
    ...STARTS,
  },
  {
    name: "completion that cancels no subtask in the background",
    law: "JOIN",
    file: FILE,
    replace: () => ({ cancelAtCompletion: () => {} }),
    ...CANCELS,
  },
  {
    name: "wait for subtasks over before one has ended",
    law: "L16",
    file: FILE,
    replace: () => ({ stepOfOrder: () => "apply" }),
    ...AWAITS,
  },
  {
    name: "task waits on although no subtask in the background works",
    law: "L16",
    file: FILE,
    replace: ({ stepOfOrder }) => ({
      stepOfOrder: (...given: readonly unknown[]) => {
        const step: string = stepOfOrder(...given);
        return step === "rest" ? "wait" : step;
      },
    }),
    ...AWAITS,
  },
  {
    name: "more subtasks in the background than the limit",
    law: "L16",
    file: FILE,
    replace: () => ({ hasRoom: () => true }),
    ...ONE_AT_A_TIME,
  },
  {
    name: "subtask in the background left and still running",
    law: "L10",
    file: FILE,
    replace: ({ leaveBackgroundSubtask }) => ({
      leaveBackgroundSubtask: (change: Change) =>
        leaveBackgroundSubtask(ignoring(change, "stop", () => true)),
    }),
    ...STARTS,
  },
  {
    name: "subtask in the background left without a mark",
    law: "L16",
    file: FILE,
    replace: ({ leaveBackgroundSubtask }) => ({
      leaveBackgroundSubtask: (change: Change) => {
        const { backgroundSubtasks } = change.context;
        leaveBackgroundSubtask(change);
        change.set({ backgroundSubtasks });
      },
    }),
    ...STARTS,
  },
  {
    name: "subtask in the background paused after its task was resumed",
    law: "L16",
    file: FILE,
    replace: ({ leaveBackgroundSubtask }) => ({
      leaveBackgroundSubtask: (change: Change) =>
        leaveBackgroundSubtask(
          withPart(change, (key) =>
            key === "context" && change.context.pause === null
              ? { ...change.context, pause: "resting" }
              : undefined,
          ),
        ),
    }),
    ...STARTS,
    bounds: { ...BOUNDS, pausing: true },
  },
  {
    name: "subtask in the background not continued after a resume",
    law: "L16",
    file: FILE,
    replace: () => ({ continueBackgroundSubtasks: () => {} }),
    ...CRASHES,
  },
  {
    name: "subtask in the background lost by the end of the process",
    law: "JOIN",
    file: FILE,
    replace: () => ({ reopenSubtasks: (change: Change) => setSubtasks(change, () => []) }),
    ...CRASHES,
  },
  {
    name: "subtask in the background of an opened task taken for one that works",
    law: "L10",
    file: FILE,
    replace: () => ({ reopenSubtasks: () => {} }),
    ...CRASHES,
  },
  {
    name: "grant of a subtask in the background put back twice",
    law: "BUDGET",
    file: FILE,
    replace: async ({ endBackgroundSubtask }) => {
      const { putBackRest } = await import("../../machines/task/budget.ts");
      return {
        endBackgroundSubtask: (change: Change) => {
          const { event } = change;
          endBackgroundSubtask(change);
          if (event.type === "subtask.ended" && "rest" in event.end) putBackRest(change, event.end.rest);
        },
      };
    },
    ...GRANTED,
  },
  {
    name: "grant of a subtask in the background not deducted",
    law: "BUDGET",
    file: FILE,
    replace: ({ moveToBackground }) => ({
      moveToBackground: (change: Change, call: unknown) => {
        moveToBackground(change, call);
        const { budget } = change.context;
        if (budget !== null && budget.state !== "returned")
          change.set({ budget: { ...budget, left: budget.granted } });
      },
    }),
    ...GRANTED,
  },
];
