import { describe, expect, it } from "vitest";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { Objection, StartFacts, StartJudgement } from "../../../machines/tool-call/call.ts";
import { toRecordedCall } from "../../../machines/tool-call/phases.ts";
import { one } from "../../../verify/laws/one.ts";
import { approved, callOf, decisionOf, delegated, reviewOf, running, turnOf } from "./calls.ts";
import { appended, recorded, say, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const FACTS: StartFacts = { effect: "writes" };
const OBJECTION: Objection = { rule: "p: c", reason: "no", because: "no" };
const JUDGING = callOf("c1", "judging");
const RUNNING = { ...running("c1"), facts: FACTS };
/** The calls before a start, and what was emitted: the review that judges it was started last. */
const BEFORE: StepParts = {
  before: { policies: true, turn: turnOf(JUDGING) },
  earlier: [started("review:c1")],
};
const decided = (by: "person" | "rule"): TaskEmitted => ({
  type: "decision.made",
  decision: decisionOf("c1", by === "person" ? { person: true } : { rule: "r" }),
});
const judgedBy = (start: Partial<StartJudgement> = {}): TaskEvent => ({
  type: "call.reviewed",
  at: 1,
  callId: "c1",
  review: { ...reviewOf(), start: { facts: FACTS, ...start } },
});
const startOf = (call: typeof RUNNING): TaskEmitted => {
  const record = toRecordedCall(call);
  if (record === undefined) throw new Error("a running call is recorded");
  return recorded(record);
};
const START = [decided("rule"), startOf(RUNNING), started("tool:c1")];
const violation = (parts: StepParts) =>
  one.violation(
    stepOf({ ...BEFORE, event: judgedBy(), after: { turn: turnOf(RUNNING) }, emitted: START, ...parts }),
  );

describe("ONE: a call starts only with its judgement", () => {
  it("in the macrostep that judged it", () => {
    expect(violation({})).toBeUndefined();
    const unjudged = "c1 started, and policies over time did not judge it";
    expect(violation({ event: { type: "task.cancel", origin: "user", at: 1 } })).toBe(unjudged);
    expect(violation({ before: { policies: true, turn: turnOf(approved("c1")) } })).toBe(unjudged);
    expect(violation({ before: { policies: false, turn: turnOf(approved("c1")) } })).toBeUndefined();
  });

  it("by what had happened until its start", () => {
    const happened = "c1 started, and something happened since it was judged";
    expect(violation({ earlier: [...(BEFORE.earlier ?? []), appended(say(5, "user_feedback"))] })).toBe(
      happened,
    );
    expect(violation({ earlier: [...(BEFORE.earlier ?? []), appended(say(5, "text"))] })).toBeUndefined();
    expect(violation({ emitted: [appended(say(5, "api_req_started")), ...START] })).toBe(happened);
    const record = { point: "call", author: "untrusted", digest: "d", verdict: "pass", scores: {} } as const;
    const judged: TaskEmitted = { type: "control.judged", record };
    expect(violation({ earlier: [...(BEFORE.earlier ?? []), judged] })).toBe(happened);
    expect(violation({ earlier: [] })).toBe(happened);
  });

  it("that has no objection to the one that permitted it", () => {
    expect(violation({ event: judgedBy({ policy: OBJECTION }) })).toBe(
      "c1 started by a policy, and breaks p: c",
    );
    expect(violation({ event: judgedBy({ person: OBJECTION }) })).toBeUndefined();
    const approvedByPerson = { ...JUDGING, approval: { row: 1, decision: decisionOf("c1") } };
    const before = { policies: true, turn: turnOf(approvedByPerson) };
    const emitted = START.slice(1);
    expect(violation({ before, emitted, event: judgedBy({ person: OBJECTION }) })).toBe(
      "c1 started by a person, and breaks p: c",
    );
    expect(violation({ before, emitted, event: judgedBy({ policy: OBJECTION }) })).toBeUndefined();
  });

  it("whose facts are recorded", () => {
    const other = { ...RUNNING, facts: { effect: "reads" as const } };
    expect(violation({ emitted: [decided("rule"), startOf(other), started("tool:c1")] })).toBe(
      "c1 is recorded with other facts than those that were judged",
    );
  });

  it("also as a subtask, but not when its subtask is resumed", () => {
    const call = { ...delegated("c1"), facts: FACTS };
    const record = toRecordedCall(call);
    const emitted = [
      decided("rule"),
      ...(record === undefined ? [] : [recorded(record)]),
      started("subtask:c1"),
    ];
    const after = { turn: turnOf(call) };
    expect(violation({ after, emitted })).toBeUndefined();
    expect(violation({ after, emitted, event: judgedBy({ policy: OBJECTION }) })).toContain("breaks p: c");
    const before = { policies: true, turn: turnOf(call) };
    expect(violation({ before, after, emitted: [started("subtask:c1")] })).toBeUndefined();
  });
});
