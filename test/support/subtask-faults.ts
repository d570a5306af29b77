import type { Change } from "../../machines/task/change.ts";
import type { Step } from "../../machines/task/schedule.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { CallIn, ToolCall } from "../../machines/tool-call/call.ts";
import { ignoring, withCalls, withPart } from "./changed-change.ts";
import type { Fault } from "./seeded-faults.ts";

type Delegated = CallIn<"delegated">;

const delegatedIn = ({ context }: Change): readonly Delegated[] =>
  context.turn.calls.filter((call): call is Delegated => call.phase === "delegated");

const BOUNDS = { turns: 2, calls: 2, blocks: 2, queued: 0, interruptions: 0, tools: ["delegate"] } as const;
const LIMITS = { calls: 2, retries: 0, pauses: 1 } as const;

/** A task whose responses start two subtasks. */
const TWO = { input: { limits: LIMITS, completion: "end_turn" }, bounds: BOUNDS } as const;
const ONE_AT_A_TIME = {
  ...TWO,
  input: { ...TWO.input, limits: { ...LIMITS, parallelSubtasks: 1 } },
} as const;
const PAUSED = { ...TWO, bounds: { ...BOUNDS, interruptions: 1, pausing: true } } as const;
const GRANTED = {
  ...TWO,
  input: {
    ...TWO.input,
    limits: { ...LIMITS, subtaskShare: 1 },
    budget: { from: "parent", grant: { requests: 5, tasks: 2, depth: 1, cost: 1 } },
  },
} as const;

/** A step of the turn that is replaced, by the one that it has in another context. */
const steppingIn =
  (kind: Step["kind"], other: (context: TaskContext) => TaskContext): NonNullable<Fault["replace"]> =>
  ({ nextStep }) => ({
    nextStep: (context: TaskContext): Step => {
      const step: Step = nextStep(context);
      return step.kind === kind ? nextStep(other(context)) : step;
    },
  });

/** Deliberate bugs of subtasks that work at the same time. */
export const SUBTASK_FAULTS: readonly Fault[] = [
  {
    name: "more subtasks at once than the limit",
    law: "L16",
    file: "task/schedule.ts",
    replace: steppingIn("subtask", (context) => ({
      ...context,
      limits: { ...context.limits, parallelSubtasks: 2 },
    })),
    ...ONE_AT_A_TIME,
  },
  {
    name: "subtask started before the next call of its response is decided",
    law: "L16",
    file: "task/schedule.ts",
    replace: ({ nextStep }) => ({
      nextStep: (context: TaskContext): Step => {
        const step: Step = nextStep(context);
        return step.kind === "pass" && step.call.phase === "approved"
          ? { kind: "start", call: step.call }
          : step;
      },
    }),
    ...TWO,
  },
  {
    name: "call behind a subtask not skipped",
    law: "ORDER",
    file: "task/schedule.ts",
    replace: steppingIn("skip", (context) =>
      withCalls(context, (call) =>
        call.phase === "approved" ? { ...call, review: { ...call.review, effect: "none" } } : call,
      ),
    ),
    ...TWO,
    bounds: { ...BOUNDS, tools: ["read", "delegate"] },
  },
  {
    name: "call behind a subtask skipped without the reason",
    law: "L16",
    file: "task/calls.ts",
    replace: ({ settleWithText }) => ({
      skipAfterSubtask: (change: Change, call: ToolCall) =>
        settleWithText(change, call, "skipped", "Not now."),
    }),
    ...TWO,
    bounds: { ...BOUNDS, tools: ["read", "delegate"] },
  },
  {
    name: "two calls with one subtask",
    law: "L16",
    file: "task/subtask.ts",
    replace: ({ delegate }) => ({
      delegate: (change: Change, call: CallIn<"approved">) => {
        delegate(change, call);
        change.set({ children: 0 });
      },
    }),
    ...TWO,
  },
  {
    name: "end of one subtask taken for the end of both",
    law: "JOIN",
    file: "task/subtask.ts",
    replace: ({ settleSubtask }) => ({
      settleSubtask: (change: Change) => {
        for (const { callId } of delegatedIn(change))
          if (change.event.type === "subtask.ended")
            settleSubtask(
              withPart(change, (key) => (key === "event" ? { ...change.event, callId } : undefined)),
            );
      },
    }),
    ...TWO,
  },
  {
    name: "end of a subtask settles the call of another",
    law: "JOIN",
    file: "task/turn.ts",
    replace: ({ callIn }) => ({
      callIn: (context: TaskContext, callId: string, ...phases: string[]) =>
        phases[0] === "delegated"
          ? context.turn.calls.find(({ phase }) => phase === "delegated")
          : callIn(context, callId, ...phases),
    }),
    ...TWO,
  },
  {
    name: "only the first subtask stopped by a cancel",
    law: "L10",
    file: "task/calls.ts",
    replace: ({ stopCalls }) => ({
      stopCalls: (change: Change) => {
        const [, second] = delegatedIn(change);
        stopCalls(ignoring(change, "stop", (_kind, id) => id === `subtask:${second?.callId}`));
      },
    }),
    ...TWO,
    bounds: { ...BOUNDS, interruptions: 1 },
  },
  {
    name: "late end of a subtask accepted that is left",
    law: "L10",
    provide: {
      guards: {
        isDelegated: ({ context, event }) =>
          "callId" in event &&
          context.turn.calls.some(({ callId, phase }) => callId === event.callId && phase === "delegated"),
      },
    },
    ...TWO,
  },
  {
    name: "subtask left and still running",
    law: "L10",
    file: "task/subtask.ts",
    replace: ({ leaveSubtask }) => ({
      leaveSubtask: (change: Change) => leaveSubtask(ignoring(change, "stop", () => true)),
    }),
    ...TWO,
  },
  {
    name: "subtask left without a mark",
    law: "L16",
    file: "task/subtask.ts",
    replace: ({ leaveSubtask }) => ({
      leaveSubtask: (change: Change) => {
        leaveSubtask(change);
        change.set({
          turn: withCalls(change.context, (call) => {
            if (call.phase !== "delegated") return call;
            const { rests: _, ...unmarked } = call;
            return unmarked;
          }).turn,
        });
      },
    }),
    ...TWO,
  },
  {
    name: "task waits on although no subtask works",
    law: "L16",
    file: "task/schedule.ts",
    replace: ({ nextStep }) => ({
      nextStep: (context: TaskContext): Step => {
        const step: Step = nextStep(context);
        return step.kind === "rest" ? { kind: "subtask" } : step;
      },
    }),
    ...TWO,
  },
  {
    name: "task at rest while a subtask works",
    law: "L16",
    file: "task/schedule.ts",
    replace: ({ nextStep }) => ({
      nextStep: (context: TaskContext): Step => {
        const step: Step = nextStep(context);
        const isLeft = context.turn.calls.some(
          (call) => call.phase === "delegated" && call.rests !== undefined,
        );
        return step.kind === "subtask" && isLeft ? { kind: "rest" } : step;
      },
    }),
    ...TWO,
  },
  {
    name: "task with a subtask that can't be opened rests as paused",
    law: "PAUSE",
    file: "task/subtask.ts",
    replace: async () => {
      const { pause } = await import("../../machines/task/pause.ts");
      return { restWithSubtasks: (change: Change) => pause(change) };
    },
    ...PAUSED,
  },
  {
    name: "task with paused subtasks rests for another reason",
    law: "L16",
    file: "task/subtask.ts",
    replace: async () => {
      const { postAsk } = await import("../../machines/task/asks.ts");
      return { restWithSubtasks: (change: Change) => postAsk(change, "resume_task", "") };
    },
    ...PAUSED,
  },
  {
    name: "only the first subtask resumed",
    law: "L16",
    file: "task/subtask.ts",
    replace: ({ resumeSubtasks }) => ({
      resumeSubtasks: (change: Change) => {
        resumeSubtasks(change);
        const [, second] = delegatedIn(change);
        if (second === undefined) return;
        change.stop("subtask", `subtask:${second.callId}`);
        const { turn } = withCalls(change.context, (call) =>
          call === second ? { ...second, rests: "paused" } : call,
        );
        change.set({ turn });
      },
    }),
    ...PAUSED,
  },
  {
    name: "grant of the second subtask not deducted",
    law: "BUDGET",
    file: "task/budget.ts",
    replace: ({ deductGrant }) => ({
      deductGrant: (change: Change) => {
        const { budget, children } = change.context;
        const grant = deductGrant(change);
        if (children > 0) change.set({ budget });
        return grant;
      },
    }),
    ...GRANTED,
  },
  {
    name: "grant put back while its subtask is left",
    law: "BUDGET",
    file: "task/subtask.ts",
    replace: async ({ leaveSubtask }) => {
      const { putBackRest } = await import("../../machines/task/budget.ts");
      return {
        leaveSubtask: (change: Change) => {
          const { event } = change;
          const call = delegatedIn(change).find((one) => "callId" in event && one.callId === event.callId);
          leaveSubtask(change);
          putBackRest(change, call?.grant);
        },
      };
    },
    ...GRANTED,
  },
  {
    name: "approved subtask started under changed permissions",
    law: "GATE",
    file: "task/permissions.ts",
    replace: ({ isStale }) => ({
      isStale: (context: TaskContext, call: ToolCall) => call.phase !== "approved" && isStale(context, call),
    }),
    ...TWO,
    bounds: { ...BOUNDS, permits: true },
  },
  {
    name: "subtask started by an earlier judgement than of its start",
    law: "ONE",
    file: "task/turn.ts",
    replace: ({ moveCall }) => ({
      moveCall: (change: Change, call: ToolCall, event: { readonly type: string }) =>
        event.type === "postponed" ? call : moveCall(change, call, event),
    }),
    ...TWO,
    input: { ...TWO.input, policies: true },
  },
  {
    name: "second of two subtasks lost by the end of the process",
    law: "JOIN",
    file: "task/recovery.ts",
    replace: ({ restoreCalls }) => ({
      restoreCalls: (...given: readonly unknown[]) => {
        const calls: readonly ToolCall[] = restoreCalls(...given);
        const first = calls.find(({ phase }) => phase === "delegated");
        return calls.filter((call) => call.phase !== "delegated" || call === first);
      },
    }),
    ...TWO,
    bounds: { ...BOUNDS, crashes: 1 },
  },
  {
    name: "read still running in a paused task",
    law: "L10",
    provide: { guards: { pausesBesideReads: () => false } },
    ...PAUSED,
    bounds: { ...PAUSED.bounds, tools: ["read"] },
  },
  {
    name: "wait for reads before a pause not shown",
    law: "L1",
    file: "task/pause.ts",
    replace: () => ({ showReads: () => {} }),
    ...PAUSED,
    bounds: { ...PAUSED.bounds, tools: ["read"] },
  },
];
