import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import { settling } from "../../../verify/laws/settling.ts";
import { approved, callOf, delegated, running, turnOf } from "./calls.ts";
import { gone, pastOf, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const found = (parts: StepParts): string | undefined => settling.violation(stepOf(parts));
const past = pastOf();
const asks = (id: number) => ({ ask: { id, ask: "resume_task" } }) as const;
const inBackground = (...callIds: readonly string[]) => ({
  background: callIds.map((callId) => ({ callId, command: "serve" })),
});

describe("an edge actor is started once (L10)", () => {
  const before = { turn: turnOf(running("c1")) };
  const twice = /^tool:c1 was started while active$/;

  it("not while it is active", () => {
    expect(found({ before, emitted: [started("tool:c1")] })).toBeUndefined();
    expect(found({ before, emitted: [started("tool:c1"), started("tool:c1")] })).toMatch(twice);
    expect(found({ before, earlier: [started("tool:c1")], emitted: [started("tool:c1")] })).toMatch(twice);
    expect(found({ before, earlier: [started("llm")], emitted: [started("tool:c1")] })).toBeUndefined();
  });

  it("but again after it was stopped", () => {
    const again = [gone("tool:c1"), started("tool:c1")];
    expect(found({ before, earlier: [started("tool:c1")], emitted: again })).toBeUndefined();
    expect(found({ before, emitted: [started("tool:c1"), ...again] })).toBeUndefined();
    expect(found({ before, emitted: [...again, gone("llm"), started("tool:c1")] })).toMatch(twice);
    expect(found({ before, emitted: [gone("tool:c1"), { type: "turn.ended" }, ...again] })).toBeUndefined();
  });
});

describe("at rest no actor is active (L10)", () => {
  const RESTS = ["no_task", "idle", "idle.completed", "resumable"];

  it.each(RESTS)("in %s", (to) => {
    for (const id of [
      "tool:c1",
      "review:c1",
      "subtask:c1",
      "llm",
      "context",
      "timer",
      "opening",
      "checkpoint",
    ])
      expect(found({ to, emitted: [started(id)] })).toBe(`${id} is active in ${to}`);
    expect(found({ to, emitted: [started("llm"), gone("llm")] })).toBeUndefined();
  });

  it.each(RESTS)("in %s, except for the open ask", (to) => {
    const emitted = [started("ask:5")];
    expect(found({ to, emitted, before: asks(5) })).toBeUndefined();
    expect(found({ to, emitted, before: asks(6) })).toMatch(/^ask:5 is active/);
    expect(found({ to, emitted })).toMatch(/^ask:5 is active/);
  });

  it.each(RESTS)("in %s, except for background commands", (to) => {
    const emitted = [started("tool:c1"), started("tool:c2")];
    expect(found({ to, emitted, before: inBackground("c1", "c2") })).toBeUndefined();
    expect(found({ to, emitted, before: inBackground("c1") })).toMatch(/^tool:c2 is active/);
    expect(found({ to, emitted: [started("review:c1")], before: inBackground("c1") })).toMatch(
      /^review:c1 is active/,
    );
  });

  it("but in idle.delivering the timer of the delivery is", () => {
    const to = "idle.delivering";
    expect(found({ to, emitted: [started("timer")] })).toBeUndefined();
    expect(found({ to, emitted: [started("timer"), started("ask:5")], before: asks(5) })).toBeUndefined();
    expect(found({ to, emitted: [started("timer"), started("llm")] })).toBe(`llm is active in ${to}`);
    expect(found({ to, emitted: [started("timer"), started("ask:5")], before: asks(6) })).toMatch(
      /^ask:5 is active/,
    );
  });

  it.each(["running.calling", "streaming.preparing", "waiting_for_input"])(
    "but in %s actors may be active",
    (to) => {
      expect(found({ to, emitted: [started("llm"), started("context"), started("timer")] })).toBeUndefined();
    },
  );
});

describe("every actor has an owner (L10)", () => {
  it("a tool to a running call", () => {
    const emitted = [started("tool:c1")];
    const of = (...calls: readonly ToolCall[]) => ({ emitted, before: { turn: turnOf(...calls) } });
    expect(found(of(running("c1")))).toBeUndefined();
    expect(
      found({ ...of(running("c1"), running("c2")), emitted: [...emitted, started("tool:c2")] }),
    ).toBeUndefined();
    expect(found(of(approved("c1")))).toMatch(/^tool:c1 is active and no call waits for it$/);
    expect(found(of())).toMatch(/^tool:c1 is active and no call waits for it$/);
    expect(found({ ...of(running("c2")), emitted: [started("tool:c2"), ...emitted] })).toMatch(
      /^tool:c1 is active and no call waits for it$/,
    );
  });

  it("or to a background command", () => {
    expect(found({ before: inBackground("c1"), emitted: [started("tool:c1")] })).toBeUndefined();
    expect(found({ before: inBackground("c1"), emitted: [started("tool:c1"), started("tool:c2")] })).toMatch(
      /^tool:c2 is active and no call waits for it$/,
    );
  });

  it("a review to a call under review", () => {
    const emitted = [started("review:c1")];
    const odd = /^review:c1 is active and no call waits for it$/;
    expect(found({ emitted, before: { turn: turnOf(callOf("c1", "deciding")) } })).toBeUndefined();
    expect(found({ emitted, before: { turn: turnOf(callOf("c1", "decided")) } })).toMatch(odd);
    expect(found({ emitted, before: { turn: turnOf() } })).toMatch(odd);
  });

  it("a subtask to a delegated task", () => {
    const parts = { emitted: [started("subtask:c1")], before: { turn: turnOf(delegated("c1")) } };
    expect(found({ ...parts, to: "running.delegated" })).toBeUndefined();
    expect(found({ ...parts, to: "running.calling" })).toMatch(/^subtask:c1 is active in running.calling$/);
  });

  it("a snapshot to a task that waits for it", () => {
    const emitted = [started("checkpoint")];
    expect(found({ emitted, to: "running.checkpointing" })).toBeUndefined();
    expect(found({ emitted, to: "running.calling" })).toMatch(/^checkpoint is active in running.calling$/);
  });

  it("an ask to the open ask", () => {
    const emitted = [started("ask:5")];
    expect(found({ emitted, before: asks(5) })).toBeUndefined();
    expect(found({ emitted, before: asks(6) })).toMatch(/^ask:5 outlives its ask$/);
    expect(found({ emitted })).toMatch(/^ask:5 outlives its ask$/);
  });

  it.each<[what: string, id: string, before: StepParts["before"]]>([
    ["a running call", "tool:c1", { turn: turnOf(running("c1")) }],
    ["a call under review", "review:c1", { turn: turnOf(callOf("c1", "deciding")) }],
    ["a background command", "tool:c1", inBackground("c1")],
  ])("and the actor of %s is active", (_, id, before = {}) => {
    const earlier = [started(id)];
    const missing = new RegExp(`^${id} is not active and its call waits for it$`);
    expect(found({ before, earlier, emitted: [started("llm")] })).toBeUndefined();
    expect(found({ before, earlier, emitted: [gone(id)] })).toMatch(missing);
    expect(found({ before, emitted: [started("llm")] })).toMatch(missing);
  });
});

describe("owners are checked after any change (L10)", () => {
  const runs = { turn: turnOf(running("c1")) };
  const earlier = [started("tool:c1")];

  it("the calls", () => {
    expect(found({ before: runs, earlier, after: { turn: turnOf(running("c1")) } })).toBeUndefined();
    expect(found({ before: runs, earlier, after: { turn: turnOf(approved("c1")) } })).toMatch(
      /and no call waits for it$/,
    );
    expect(found({ after: runs })).toMatch(/its call waits for it$/);
  });

  it("the background commands", () => {
    expect(found({ before: inBackground("c1"), earlier, after: inBackground("c1") })).toBeUndefined();
    expect(found({ before: inBackground("c1"), earlier, after: inBackground() })).toMatch(
      /^tool:c1 is active and no call waits for it$/,
    );
    expect(found({ after: inBackground("c1") })).toMatch(/^tool:c1 is not active/);
  });

  it("the ask", () => {
    const asking = [started("ask:5")];
    expect(found({ before: asks(5), earlier: asking, after: asks(5) })).toBeUndefined();
    expect(found({ before: asks(5), earlier: asking, after: asks(6) })).toMatch(/^ask:5 outlives its ask$/);
    expect(found({ before: asks(5), earlier: asking, after: { ask: undefined } })).toMatch(/outlives/);
  });

  it("the state", () => {
    const parts = { from: "running.checkpointing", earlier: [started("checkpoint")] };
    expect(found(parts)).toBeUndefined();
    expect(found({ ...parts, to: "running.calling" })).toMatch(/^checkpoint is active in running.calling$/);
  });

  it("after an opening, but not without a change", () => {
    expect(found({ before: runs })).toBeUndefined();
    expect(found({ before: runs, past })).toMatch(/^tool:c1 is not active/);
    expect(found({ before: runs, earlier, past })).toBeUndefined();
  });
});
