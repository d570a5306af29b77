import { describe, expect, it } from "vitest";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { Effect } from "../../../machines/tool-call/call.ts";
import type { IntentFinding } from "../../../machines/tool-call/intent.ts";
import { intent as law } from "../../../verify/laws/intent.ts";
import { approved, callOf, decisionOf, delegated, outcomeOf, reviewOf, running, turnOf } from "./calls.ts";
import { pastOf, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const found = (parts: StepParts): string | undefined => law.violation(stepOf(parts));
const required: Pick<TaskContext, "intent"> = { intent: { stage: "required" } };
const selected = (id = "A"): Pick<TaskContext, "intent"> => ({ intent: { stage: "selected", id } });
const owned: IntentFinding = { kind: "owned", id: "A" };
const refused: IntentFinding = { kind: "refused", rule: "r", reason: "no" };

/** The start of a tool. */
const start = (context: Pick<TaskContext, "intent">, effect: Effect, intent?: IntentFinding): StepParts => ({
  before: context,
  after: { turn: turnOf(callOf("c1", "running", { effect, intent })) },
  emitted: [started("tool:c1")],
});

describe("INTENT: no effect starts before an intent is selected", () => {
  it.each(["writes", "executes", "delegates"] as const)("not a tool that %s", (effect) => {
    expect(found(start(required, effect))).toBe(`c1 started, and it ${effect}, and no intent is selected`);
    expect(found(start({ intent: null }, effect))).toBeUndefined();
  });

  it.each(["reads", "none", "asks"] as const)("but one that %s", (effect) => {
    expect(found(start(required, effect))).toBeUndefined();
  });

  it("nor is a subtask delegated; one that was delegated before goes on", () => {
    const after = { turn: turnOf(delegated("c1")) };
    const emitted = [started("subtask:c1")];
    const before = { turn: turnOf(approved("c1")) };
    expect(found({ before: { ...before, ...required }, after, emitted })).toMatch(
      /^c1 started, and it writes/,
    );
    expect(found({ before: { ...after, ...required }, after, emitted })).toBeUndefined();
  });
});

describe("INTENT: no effect starts outside of what the selected intent owns", () => {
  it("what it owns starts, and a call of unknown scope", () => {
    expect(found(start(selected(), "writes", owned))).toBeUndefined();
    expect(found(start(selected(), "executes", { kind: "unscoped", id: "A" }))).toBeUndefined();
  });

  it("not a call that it refuses, whatever its effect is", () => {
    expect(found(start(selected(), "writes", refused))).toBe("c1 started, and its intent refuses it");
    expect(found(start(selected(), "reads", refused))).toBe("c1 started, and its intent refuses it");
  });

  it("nor one that another intent owns, or that none judged", () => {
    expect(found(start(selected("B"), "writes", owned))).toBe(
      "c1 started, and the intent is B, and it was judged by A",
    );
    expect(found(start(selected(), "writes"))).toBe(
      "c1 started, and the intent is A, and it was judged by none",
    );
  });

  it("nor one without a review", () => {
    expect(found({ before: selected(), emitted: [started("tool:c1")] })).toBe(
      "c1 started, and nothing judged it",
    );
  });
});

describe("INTENT: a refused call is not decided", () => {
  const decided = (
    by: { readonly person: true } | { readonly rule: string },
    intent: IntentFinding,
  ): StepParts => ({
    before: selected(),
    after: { turn: turnOf(callOf("c1", "approved", { intent })) },
    emitted: [{ type: "decision.made", decision: decisionOf("c1", by) }] satisfies TaskEmitted[],
  });

  it("neither by a person nor by a rule, and nobody is asked about it", () => {
    for (const by of [{ person: true } as const, { rule: "r" }])
      expect(found(decided(by, refused))).toBe("c1 was approved, and its intent refuses it");
    expect(
      found({ before: selected(), after: { turn: turnOf(callOf("c1", "asking", { intent: refused })) } }),
    ).toBe("a person is asked about c1, and its intent refuses it");
    expect(found(decided({ rule: "r" }, owned))).toBeUndefined();
  });

  it("and mode bypass decides no call of unknown scope", () => {
    const unscoped: IntentFinding = { kind: "unscoped", id: "A" };
    expect(found(decided({ rule: "mode bypass" }, unscoped))).toBe(
      "c1 was approved by mode bypass, and what it changes is not known",
    );
    expect(found(decided({ rule: "command(npm test)" }, unscoped))).toBeUndefined();
    expect(found(decided({ rule: "mode bypass" }, owned))).toBeUndefined();
  });

  it("and one that was denied does not start", () => {
    const denied = callOf("c1", "settled", { outcome: outcomeOf("denied", "no") });
    const parts = start(selected(), "writes", owned);
    expect(found({ ...parts, before: { ...selected(), turn: turnOf(denied) } })).toBe(
      "c1 was denied, and started",
    );
    expect(found({ ...parts, before: { ...selected(), turn: turnOf(running("c1")) } })).toBeUndefined();
  });
});

describe("INTENT: only a call selects an intent", () => {
  const selecting = callOf("c1", "approved", { effect: "none", selectsIntent: "B" });
  const done = { turn: turnOf(callOf("c1", "settled")) };

  it("and nothing else changes it", () => {
    expect(
      found({ before: { ...selected(), turn: turnOf(selecting) }, after: { ...done, ...selected("B") } }),
    ).toBeUndefined();
    expect(found({ before: selected(), after: selected("B") })).toBe(
      'the intent is {"stage":"selected","id":"B"}, expected {"stage":"selected","id":"A"}',
    );
    expect(found({ before: selected(), after: { intent: null } })).toMatch(/^the intent is null, expected/);
    expect(found({ before: { ...selected(), turn: turnOf(selecting) }, after: done })).toMatch(
      /expected .*"B"/,
    );
  });

  it("also one that is reviewed and applied in one macrostep, but none that is denied", () => {
    const review = reviewOf({ effect: "none", selectsIntent: "B" });
    const event = { type: "call.reviewed", at: 1, callId: "c1", review } as const;
    const before = { ...required, turn: turnOf(callOf("c1", "deciding")) };
    expect(found({ before, event, after: { ...done, ...selected("B") } })).toBeUndefined();
    const denied = { turn: turnOf(callOf("c1", "settled", { outcome: outcomeOf("denied", "no") })) };
    expect(found({ before, event, after: { ...denied, ...selected("B") } })).toMatch(/^the intent is/);
    expect(found({ before, event, after: denied })).toBeUndefined();
  });

  it("and a reopened task has the recorded one", () => {
    const past = { ...pastOf(), facts: selected() };
    expect(found({ past, after: selected() })).toBeUndefined();
    expect(found({ past, after: required })).toMatch(/^the reopened task has the intent .*"required"/);
    expect(found({ past: pastOf(), after: required })).toBeUndefined();
  });
});

describe("INTENT: a refusal waits for the calls before it", () => {
  const refusal = (phase: "decided" | "approved" | "settled" | "running"): StepParts => ({
    before: required,
    event: { type: "call.reviewed", at: 1, callId: "c2", review: reviewOf() },
    after: {
      turn: turnOf(callOf("c1", phase), callOf("c2", "settled", { outcome: outcomeOf("denied") })),
    },
  });

  it("which have not started, and may select an intent", () => {
    const what = "c2 was refused before c1 could select an intent";
    expect(found(refusal("decided"))).toBe(what);
    expect(found(refusal("approved"))).toBe(what);
  });

  it("not for one that has settled, or only reads", () => {
    expect(found(refusal("settled"))).toBeUndefined();
    expect(found(refusal("running"))).toBeUndefined();
  });
});
