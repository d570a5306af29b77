import type { Change } from "../../machines/task/change.ts";
import type { CallIn } from "../../machines/tool-call/call.ts";
import { withPart } from "./changed-change.ts";
import { faultyStep } from "./faulty-step.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task with hooks before and after its calls. */
const HOOKED = {
  bounds: { turns: 1, queued: 0, interruptions: 0, hooks: true, tools: ["write"] },
  input: { hooks: ["beforeTool", "afterTool"] },
} as const satisfies Partial<Fault>;

/** A task whose calls are amended by a person, too. */
const AMENDED = { ...HOOKED, bounds: { ...HOOKED.bounds, amends: true } } as const;

/** A task that is interrupted, or whose process ends, while hooks run. */
const INTERRUPTED = { ...HOOKED, bounds: { ...HOOKED.bounds, interruptions: 1, crashes: 1 } } as const;

/** A task with hooks before its requests. */
const REQUESTS = {
  bounds: { turns: 1, queued: 0, interruptions: 0, hooks: true, tools: [] },
  input: { hooks: ["beforeRequest"] },
} as const satisfies Partial<Fault>;

/** The end of a call settles it: nobody sees its result before. */
export const SETTLED_UNSEEN = {
  file: "task/hooks.ts",
  replace: async () => {
    const { moveCall } = await import("../../machines/task/turn.ts");
    return {
      endCall: (change: Change, call: CallIn<"running">, outcome: CallIn<"settled">["outcome"]) =>
        moveCall(change, call, { type: "settled", outcome }),
    };
  },
} as const satisfies Partial<Fault>;

const always = (): boolean => true;

/** Deliberate bugs in what hooks decide about, and when. */
export const HOOK_FAULTS: readonly Fault[] = [
  {
    name: "call started before its hooks",
    law: "HOOK",
    ...HOOKED,
    file: "task/hook-points.ts",
    replace: () => ({ isHooked: always }),
  },
  {
    name: "read started in parallel before its hooks",
    law: "HOOK",
    ...HOOKED,
    bounds: { ...HOOKED.bounds, tools: ["read"] },
    file: "task/hook-points.ts",
    replace: () => ({ hasCallHooks: () => false }),
  },
  {
    name: "amendment of a person started without the hooks",
    law: "HOOK",
    ...AMENDED,
    file: "task/hook-points.ts",
    replace: ({ isHooked }) => ({
      isHooked: (context: unknown, call: { readonly hooked?: unknown }) =>
        call.hooked !== undefined || isHooked(context, call),
    }),
  },
  {
    name: "verdict of hooks that saw other arguments applied",
    law: "HOOK",
    ...HOOKED,
    provide: {
      guards: {
        isHooking: ({ context, event }) =>
          "callId" in event &&
          context.turn.calls.some(({ callId, phase }) => callId === event.callId && phase === "hooking"),
      },
    },
  },
  {
    name: "denied call approved",
    law: "HOOK",
    ...HOOKED,
    file: "task/hooks.ts",
    replace: ({ applyCallHooks }) => ({
      applyCallHooks: (change: Change) => applyCallHooks(allowing(change)),
    }),
  },
  {
    name: "call that a hook asks about approved by a rule",
    law: "HOOK",
    ...HOOKED,
    ...faultyStep("hooks.passed", (step) => (call, event) => ({
      ...step(call, event),
      review: { ...call.review, verdict: { kind: "allow", rule: "r" } },
      phase: "approved",
      row: call.row ?? 1,
      decision: { callId: call.callId, digest: call.review.digest, by: { rule: "r" }, at: 1 },
    })),
  },
  {
    name: "arguments of a hook not judged",
    law: "HOOK",
    ...HOOKED,
    ...faultyStep("hooks.amended", (step) => (call, event) => {
      const { preview: _, ...rewritten } = step(call, event);
      return { ...rewritten, phase: "decided", review: call.review };
    }),
  },
  {
    name: "second change of the arguments accepted",
    law: "HOOK",
    ...HOOKED,
    ...faultyStep("hooks.amended", (step) => (...of) => {
      const { hooked: _, ...call } = step(...of);
      return call;
    }),
  },
  {
    name: "result of a call settled before its hooks",
    law: "HOOK",
    ...HOOKED,
    ...SETTLED_UNSEEN,
  },
  {
    name: "withheld result given to the model",
    law: "HOOK",
    ...HOOKED,
    file: "task/hooks.ts",
    replace: ({ applyResultHooks }) => ({
      applyResultHooks: (change: Change) => applyResultHooks(allowing(change)),
    }),
  },
  {
    name: "original of a replaced result given to the model",
    law: "HOOK",
    ...HOOKED,
    file: "task/hooks.ts",
    replace: ({ applyResultHooks }) => ({
      applyResultHooks: (change: Change) => applyResultHooks(isReplacing(change) ? allowing(change) : change),
    }),
  },
  {
    name: "original of a replaced result shown to the user",
    law: "HOOK",
    ...HOOKED,
    file: "task/hooks.ts",
    replace: ({ applyResultHooks }) => ({
      applyResultHooks: (change: Change) => {
        for (const call of isReplacing(change) ? change.context.turn.calls : [])
          if (call.phase === "ended" && call.notice !== undefined)
            change.append({ type: "say", ...call.notice, callId: call.callId });
        applyResultHooks(change);
      },
    }),
  },
  {
    name: "replaced result of a failed call settled as done",
    law: "HOOK",
    ...HOOKED,
    ...faultyStep("settled", (step) => (call, { outcome, ...event }) => {
      const isReplaced = outcome.replacedBy !== undefined;
      return step(call, { ...event, outcome: isReplaced ? { ...outcome, kind: "done" } : outcome });
    }),
  },
  {
    name: "what a person said with an approval lost where the result is withheld",
    law: "L7",
    ...INTERRUPTED,
    file: "tool-call/feedback.ts",
    replace: () => ({ withFeedback: (_: unknown, outcome: unknown) => outcome }),
  },
  {
    name: "original of a replaced result recorded although no hook keeps it",
    law: "HOOK",
    ...HOOKED,
    ...faultyStep("settled", (step) => (call, { outcome, ...event }) => {
      const original = outcome.replacedBy === undefined ? {} : { original: call.outcome.content };
      return step(call, { ...event, outcome: { ...outcome, ...original } });
    }),
  },
  {
    name: "result recorded before its hooks have seen it",
    law: "HOOK",
    ...HOOKED,
    ...faultyStep("ended", (step) => (call, event) => step(call, { ...event, unseen: event.outcome })),
  },
  {
    name: "result given to the model after a cancel of its hooks",
    law: "HOOK",
    ...INTERRUPTED,
    file: "task/calls.ts",
    replace: ({ stopCalls }) => ({
      stopCalls: (change: Change) => {
        const calls = change.context.turn.calls.map((call) =>
          call.phase === "ended" ? { ...call, unseen: call.outcome } : call,
        );
        change.set({ turn: { ...change.context.turn, calls } });
        stopCalls(change);
      },
    }),
  },
  {
    name: "recorded end of a stopped call given to the model unseen",
    law: "L12",
    ...INTERRUPTED,
    file: "task/hook-points.ts",
    replace: () => ({
      recordedOutcome: (_: unknown, __: unknown, content: unknown) => ({ kind: "done", content }),
    }),
  },
  {
    name: "hooks of a call not stopped by a cancel",
    law: "L10",
    ...INTERRUPTED,
    file: "task/calls.ts",
    replace: ({ hookActorId }) => ({
      hookActorId: (callId: string) => `${hookActorId(callId)}#${Math.random()}`,
    }),
  },
  {
    name: "request sent before its hooks",
    law: "HOOK",
    ...REQUESTS,
    provide: { guards: { isPreparedForHooks: () => false } },
  },
  {
    name: "denied request sent",
    law: "HOOK",
    ...REQUESTS,
    provide: {
      guards: {
        isHookedRequest: ({ context, event }) => "requestId" in event && event.requestId === context.request,
      },
    },
  },
];

const isReplacing = ({ event }: Change): boolean =>
  event.type === "result.hooked" && event.verdict.kind === "replace";

/** The change with an event in which the hooks allow. */
const allowing = (change: Change): Change =>
  withPart(change, (key) =>
    key === "event" && "verdict" in change.event
      ? { ...change.event, verdict: { kind: "allow" } }
      : undefined,
  );
