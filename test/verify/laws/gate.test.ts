import { describe, expect, it } from "vitest";
import { emptyLog } from "../../../machines/message/log.ts";
import type { AskClosing } from "../../../machines/message/message.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import type { CallIn, Decision } from "../../../machines/tool-call/call.ts";
import type { PermissionMode } from "../../../machines/tool-call/permissions.ts";
import { gate, plan } from "../../../verify/laws/gate.ts";
import { approved, callOf, delegated, running, turnOf } from "./calls.ts";
import { started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const permitted = (revision: number, mode: PermissionMode = "ask"): Pick<TaskContext, "permissions"> => ({
  permissions: { revision, mode, rules: [] },
});
const changed: TaskEvent = { type: "permissions.changed", at: 1 };
const gateOf = (parts: StepParts) => gate.violation(stepOf(parts));
const planOf = (parts: StepParts) => plan.violation(stepOf(parts));

describe("GATE: each change of what is permitted is a revision", () => {
  it("a change without one is found, and one that goes back", () => {
    expect(gateOf({ after: permitted(0, "plan") })).toBe(
      "the permissions changed and their revision did not",
    );
    expect(gateOf({ after: { mode: "ask" } })).toBe("the permissions changed and their revision did not");
    expect(gateOf({ before: permitted(2), after: permitted(1) })).toBe(
      "the revision of the permissions went from 2 to 1",
    );
    expect(gateOf({ after: permitted(1, "plan") })).toBeUndefined();
  });
});

describe("GATE: no call starts with a verdict of an earlier revision", () => {
  const tool = { after: { turn: turnOf(running("c1")) }, emitted: [started("tool:c1")] };
  const stale = "c1 started with the verdict of revision 0, now 1";

  it("neither after the change nor in its macrostep", () => {
    expect(gateOf(tool)).toBeUndefined();
    expect(gateOf({ ...tool, before: permitted(1) })).toBe(stale);
    expect(gateOf({ ...tool, event: changed, after: { ...tool.after, ...permitted(1) } })).toBe(stale);
  });

  it("but before a call of the same response switches the mode", () => {
    const event: TaskEvent = { type: "tool.finished", at: 1, callId: "c0", content: [] };
    expect(gateOf({ ...tool, event, after: { ...tool.after, ...permitted(1) } })).toBeUndefined();
  });

  it("nor is one delegated", () => {
    const after = { turn: turnOf(delegated("c1")) };
    const emitted = [started("subtask:c1")];
    const before = { turn: turnOf(approved("c1")) };
    expect(gateOf({ before, after, emitted })).toBeUndefined();
    expect(gateOf({ before: { ...before, ...permitted(1) }, after, emitted })).toBe(
      "c1 was delegated with the verdict of revision 0",
    );
  });
});

describe("GATE: a call whose tool needs approval", () => {
  const by = (decider: Decision["by"]): CallIn<"running"> => {
    const call = running("c1");
    const decision = { ...call.decision, by: decider };
    return { ...call, decision, review: { ...call.review, needsApproval: true } };
  };
  const start = (call: CallIn<"running">, closing?: AskClosing): StepParts => ({
    after: {
      turn: turnOf(call),
      log: emptyLog.append({ ts: 5, type: "ask", ask: "tool", callId: "c1", ...(closing && { closing }) }),
    },
    emitted: [started("tool:c1")],
  });

  it("starts with the answer of a person or of a deadline, and by no rule", () => {
    expect(gateOf(start(by({ person: true })))).toBeUndefined();
    expect(gateOf(start(by({ rule: "r" })))).toBe('c1 needs approval, and "r" decided it');
    expect(gateOf(start(by({ rule: "r" }), "expired"))).toBeUndefined();
  });
});

describe("GATE: no ask is open under permissions that have changed", () => {
  it("about a call, but a question stays", () => {
    const asking = (effect?: "asks") => ({
      turn: turnOf(callOf("c1", "asking", { ...(effect && { effect }) })),
    });
    expect(gateOf({ after: { ...asking(), ...permitted(1) } })).toBe(
      "the ask about c1 is open, and what is permitted has changed",
    );
    expect(gateOf({ after: { ...asking("asks"), ...permitted(1) } })).toBeUndefined();
  });
});

describe("PLAN: in permission mode plan only reading starts", () => {
  const inPlan = permitted(0, "plan");

  it.each(["writes", "executes", "delegates"] as const)("not a tool that %s", (effect) => {
    const after = { turn: turnOf(running("c1", effect)) };
    const emitted = [started("tool:c1")];
    expect(planOf({ before: inPlan, after, emitted })).toBe(`c1, which ${effect}, started in mode plan`);
    expect(planOf({ after, emitted })).toBeUndefined();
  });

  it.each(["reads", "none"] as const)("a tool with the effect: %s", (effect) => {
    const after = { turn: turnOf(running("c1", effect)) };
    expect(planOf({ before: inPlan, after, emitted: [started("tool:c1")] })).toBeUndefined();
  });

  it("no subtask, but one that was delegated before goes on", () => {
    const turn = { turn: turnOf(delegated("c1")) };
    const emitted = [started("subtask:c1")];
    expect(planOf({ before: inPlan, after: turn, emitted })).toBe("subtask:c1 started in mode plan");
    expect(planOf({ before: { ...inPlan, ...turn }, after: turn, emitted })).toBeUndefined();
  });
});
