import { assign, setup } from "xstate";
import {
  CALL_TABLE,
  type CallAfter,
  type CallTaking,
  type ToolCallEvent,
  type ToolCallEventOf,
  type ToolCallEventType,
} from "./call.table.ts";
import type { Phase, ToolCall } from "./call.ts";
import { CALL_STEPS } from "./phases.ts";

/** The call after an event. A call whose phase does not take the event can't be given. */
export const nextCall = <T extends ToolCallEventType>(
  call: CallTaking<T>,
  event: ToolCallEventOf<T> & { readonly type: T },
): CallAfter<T> => CALL_STEPS[event.type](call, event);

type Step = (call: ToolCall, event: ToolCallEvent) => ToolCall;

const callSetup = setup({
  types: {} as { context: { readonly call: ToolCall }; events: ToolCallEvent; input: ToolCall },
  actions: {
    step: assign(({ context, event }) => ({
      call: (CALL_STEPS[event.type] as Step)(context.call, event),
    })),
  },
  guards: {
    isApproved: ({ context: { call } }) => "approval" in call && call.approval !== undefined,
  },
});

/** The transitions of one phase, by event. */
function transitionsOf(phase: Phase) {
  return Object.fromEntries(
    Object.entries(CALL_TABLE[phase]).map(([event, target]) => [event, transitionsTo(target)]),
  );
}

const transitionsTo = (target: Phase | readonly [Phase, Phase]) =>
  typeof target === "string"
    ? ({ target, actions: "step" } as const)
    : ([
        { guard: "isApproved", target: target[0], actions: "step" },
        { target: target[1], actions: "step" },
      ] as const);

const phases = Object.keys(CALL_TABLE) as Phase[];

/**
 * The lifecycle of one tool call: {@link CALL_TABLE} with the phases as states. The task does not run this machine: it applies the
 * table to its calls, which are values, in the macrostep that moves them. Diagrams show this machine, and a test checks that
 * both agree.
 */
export const callMachine = callSetup.createMachine({
  id: "call",
  context: ({ input }) => ({ call: input }),
  initial: "planned",
  states: Object.fromEntries(phases.map((phase) => [phase, { on: transitionsOf(phase) }])),
});
