import { describe, expect, test } from "vitest";
import { getNextSnapshot } from "xstate";
import { callMachine, nextCall } from "../../../machines/tool-call/call.machine.ts";
import {
  CALL_TABLE,
  type ToolCallEvent,
  type ToolCallEventType,
} from "../../../machines/tool-call/call.table.ts";
import type { Phase, ToolCall } from "../../../machines/tool-call/call.ts";
import { callOf, decisionOf, inEachPhase, outcomeOf, reviewOf, USER } from "../../verify/laws/calls.ts";

const judged = { facts: { effect: "writes" } } as const;
const decision = decisionOf("c1");
const EVENTS: { readonly [T in ToolCallEventType]: Extract<ToolCallEvent, { type: T }> } = {
  completed: { type: "completed", input: { path: "a.txt" } },
  reviewed: { type: "reviewed", review: reviewOf({}) },
  "amendment.reviewed": { type: "amendment.reviewed", review: reviewOf({}) },
  "permissions.changed": { type: "permissions.changed" },
  "hooks.started": { type: "hooks.started" },
  "hooks.passed": { type: "hooks.passed", hooked: { digest: "d", asks: "a hook asks" } },
  "hooks.amended": { type: "hooks.amended", input: {}, amendedBy: "h" },
  "judging.started": { type: "judging.started" },
  "judging.passed": { type: "judging.passed", review: reviewOf({}), judged },
  asked: { type: "asked", row: 7 },
  approved: { type: "approved", row: 7, decision, feedback: { text: "And tests.", images: [] } },
  amended: { type: "amended", amendment: { content: "x" }, decision },
  postponed: { type: "postponed" },
  started: { type: "started" },
  delegated: { type: "delegated", childId: "t.1", grant: undefined, isolation: undefined },
  left: { type: "left", because: "paused" },
  continued: { type: "continued" },
  stopped: { type: "stopped" },
  ended: { type: "ended", outcome: outcomeOf("done", "out"), unseen: outcomeOf("failed", "unseen") },
  settled: { type: "settled", outcome: outcomeOf("done", "out") },
};

const approval = { row: 7, decision, feedback: { text: "And tests.", images: [] } };
/** A call in each phase, and those that hooks or policies over time hold after a person approved them. */
const CALLS: readonly ToolCall[] = [
  ...inEachPhase("c1"),
  { ...callOf("c1", "hooking"), approval },
  { ...callOf("c1", "judging"), approval },
];

const takes = (phase: Phase, event: ToolCallEventType): boolean => Object.hasOwn(CALL_TABLE[phase], event);

/** The call after an event, by the machine. */
function byMachine(call: ToolCall, event: ToolCallEvent): ToolCall {
  const snapshot = callMachine.resolveState({ value: call.phase, context: { call } });
  const next = getNextSnapshot(callMachine, snapshot, event);
  expect(next.value).toBe(next.context.call.phase);
  return next.context.call;
}

type Next = (call: ToolCall, event: ToolCallEvent) => ToolCall;

describe.each(CALLS.map((call) => [call.phase, call] as const))("a call that is %s", (phase, call) => {
  test.each(Object.values(EVENTS).map((event) => [event.type, event] as const))(
    "is the same after %s by the table and by the machine",
    (type, event) => {
      const after = byMachine(call, event);
      if (takes(phase, type)) expect(after).toEqual((nextCall as Next)(call, event));
      else expect(after).toBe(call);
    },
  );
});

test("a person's comment on an approval is in the result of a call that hooks or policies deny after it (L7)", () => {
  for (const phase of ["hooking", "judging"] as const) {
    const { outcome } = nextCall({ ...callOf("c1", phase), approval }, EVENTS.settled);
    expect(JSON.stringify(outcome.content)).toContain("And tests.");
  }
});

test("a person who approved these very arguments is not asked again by a hook, and any other is", () => {
  const event = EVENTS["hooks.passed"];
  expect(nextCall(callOf("c1", "hooking"), event)).toMatchObject({
    phase: "decided",
    review: { verdict: { kind: "ask", because: "a hook asks" } },
  });
  expect(nextCall({ ...callOf("c1", "hooking"), approval }, event)).toMatchObject({
    phase: "approved",
    decision: { by: USER },
  });
});

test("each phase leads to a result, and a call with its result takes nothing more", () => {
  const reaches = (phase: Phase): boolean => phase === "settled" || takes(phase, "settled");
  expect(inEachPhase("c1").every(({ phase }) => reaches(phase))).toBe(true);
  expect(CALL_TABLE.settled).toEqual({});
});
