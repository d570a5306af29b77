import { describe, expect, it } from "vitest";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { Effect, Phase, ToolCall } from "../../../machines/tool-call/call.ts";
import { order } from "../../../verify/laws/order.ts";
import { callOf, turnOf } from "./calls.ts";
import { stepOf } from "./step.ts";

const READS: readonly Effect[] = ["reads", "none"];
const EFFECTS: readonly Effect[] = ["writes", "executes", "delegates", "asks"];
const OVER: readonly Phase[] = ["settled", "stopped"];
/** The phases in which a call has not started. */
const UNBEGUN: readonly Phase[] = ["planned", "deciding", "decided", "asking", "approved"];

const startOf = (effect: "tool" | "subtask" | "review", callId: string): TaskEmitted => ({
  type: "effect.started",
  effect,
  id: `${effect}:${callId}`,
});
/** A call with its own name, to identify it in the violation. */
const named = (callId: string, phase: Phase, effect: Effect = "writes") =>
  callOf(callId, phase, { name: `do-${callId}`, effect });
const read = (callId: string, phase: Phase = "running") => named(callId, phase, "reads");
const write = (callId: string, phase: Phase = "running") => named(callId, phase);

/** The violation of a macrostep that starts `starts` and leaves `calls`. */
const leaving = (starts: readonly TaskEmitted[], ...calls: readonly ToolCall[]) =>
  order.violation(stepOf({ emitted: starts, after: { turn: turnOf(...calls) } }));
const started = (callId: string, ...calls: readonly ToolCall[]) =>
  leaving([startOf("tool", callId)], ...calls);

describe("a call with an effect (ORDER)", () => {
  it("starts by itself", () => {
    expect(started("b", write("b"))).toBeUndefined();
  });

  it.each(OVER)("starts after and before one that is %s", (phase) => {
    expect(started("b", write("a", phase), write("b"), write("c", phase))).toBeUndefined();
  });

  it.each<Phase>([...UNBEGUN, "running", "delegated"])("does not start after one that is %s", (phase) => {
    expect(started("b", write("a", phase), write("b"))).toBe(`do-b started while do-a (a) is ${phase}`);
  });

  it.each<Phase>([...UNBEGUN, "running"])("does not start after a read that is %s", (phase) => {
    expect(started("b", read("a", phase), write("b"))).toBe(`do-b started while do-a (a) is ${phase}`);
  });

  it("does not start before one that runs, not even a read", () => {
    expect(started("a", write("a"), read("b"))).toBe("do-a started while do-b (b) is running");
    expect(started("a", write("a"), write("b"))).toBe("do-a started while do-b (b) is running");
  });

  it.each(UNBEGUN)("starts before one that is %s", (phase) => {
    expect(started("a", write("a"), write("b", phase), read("c", phase))).toBeUndefined();
  });

  it.each(EFFECTS)("that %s does not start during a read", (effect) => {
    expect(started("b", read("a"), named("b", "running", effect))).toMatch(/do-b started while do-a/);
  });

  it("does not start with another in one macrostep", () => {
    expect(leaving([startOf("tool", "a"), startOf("tool", "b")], write("a"), write("b"))).toBe(
      "do-a started while do-b (b) is running",
    );
    expect(leaving([startOf("tool", "a"), startOf("tool", "b")], read("a"), write("b"))).toBe(
      "do-b started while do-a (a) is running",
    );
  });

  it("is reported with the first call that blocks it", () => {
    expect(started("d", write("a", "settled"), read("b"), write("c", "decided"), write("d"))).toBe(
      "do-d started while do-c (c) is decided",
    );
  });
});

describe("a read (ORDER)", () => {
  it.each(READS)("starts during an earlier call of the effect %s", (effect) => {
    expect(started("b", named("a", "running", effect), read("b"))).toBeUndefined();
  });

  it.each(READS)("of the effect %s starts during a read", (effect) => {
    expect(started("b", read("a"), named("b", "running", effect))).toBeUndefined();
  });

  it("starts with another in one macrostep", () => {
    expect(leaving([startOf("tool", "a"), startOf("tool", "b")], read("a"), read("b"))).toBeUndefined();
  });

  it("starts before a read that runs", () => {
    expect(started("a", read("a"), read("b"))).toBeUndefined();
  });

  it.each(OVER)("starts after a call that is %s", (phase) => {
    expect(started("b", write("a", phase), read("b"))).toBeUndefined();
  });

  it.each(EFFECTS)("does not start during a call that %s", (effect) => {
    expect(started("b", named("a", "running", effect), read("b"))).toBe(
      "do-b started while do-a (a) is running",
    );
  });

  it.each(UNBEGUN)("does not start after a read that is %s", (phase) => {
    expect(started("b", read("a", phase), read("b"))).toBe(`do-b started while do-a (a) is ${phase}`);
  });

  it("does not start after a subtask", () => {
    expect(started("b", named("a", "delegated"), read("b"))).toMatch(/while do-a \(a\) is delegated/);
  });
});

describe("a subtask (ORDER)", () => {
  const delegated = (...calls: readonly ToolCall[]) =>
    leaving([startOf("subtask", "b")], ...calls, named("b", "delegated"));

  it.each(OVER)("starts alone and after a call that is %s", (phase) => {
    expect(delegated()).toBeUndefined();
    expect(delegated(write("a", phase))).toBeUndefined();
  });

  it.each(UNBEGUN)("does not start after a call that is %s", (phase) => {
    expect(delegated(write("a", phase))).toBe(`do-b started while do-a (a) is ${phase}`);
  });

  it("does not start during a read", () => {
    expect(delegated(read("a"))).toBe("do-b started while do-a (a) is running");
  });
});

describe("the order of starts (ORDER)", () => {
  it("is not checked when only a review starts", () => {
    expect(leaving([], write("a", "decided"), write("b"))).toBeUndefined();
    expect(leaving([startOf("review", "b")], write("a", "decided"), write("b"))).toBeUndefined();
  });

  it("is checked for started calls of the turn only", () => {
    expect(started("x", write("a", "decided"), write("b"))).toBeUndefined();
    expect(started("a", write("a", "settled"), write("b", "decided"), read("c"))).toMatch(/do-c \(c\)/);
  });

  it("is checked for every start, also after a valid one", () => {
    const starts = [startOf("tool", "a"), startOf("tool", "c")];
    expect(leaving(starts, read("a"), read("b", "settled"), read("c"))).toBeUndefined();
    expect(leaving(starts, read("a"), read("b", "decided"), read("c"))).toMatch(/do-c started while do-b/);
  });
});

describe("the user is asked about a call (ORDER)", () => {
  /** The violation of a task with an open ask about `callId`. */
  const asked = (callId: string, ...calls: readonly ToolCall[]) =>
    order.violation(stepOf({ before: { ask: { id: 5, ask: "tool", callId }, turn: turnOf(...calls) } }));
  const asking = write("b", "asking");

  it.each(OVER)("that is the first, or follows one that is %s", (phase) => {
    expect(asked("b", asking)).toBeUndefined();
    expect(asked("b", write("a", phase), asking)).toBeUndefined();
  });

  it.each(READS)("while an earlier one of the effect %s runs", (effect) => {
    expect(asked("b", named("a", "running", effect), asking)).toBeUndefined();
  });

  it.each<Phase>([...UNBEGUN, "running", "delegated"])("but not while an earlier one is %s", (phase) => {
    expect(asked("b", write("a", phase), asking)).toBe(`do-b is asked about while do-a is ${phase}`);
  });

  it.each(EFFECTS)("but not while an earlier one runs that %s", (effect) => {
    expect(asked("b", named("a", "running", effect), asking)).toMatch(/do-a is running/);
  });

  it.each(UNBEGUN)("but not while an earlier read is %s", (phase) => {
    expect(asked("b", read("a", phase), asking)).toMatch(`do-a is ${phase}`);
  });

  it("whatever follows it", () => {
    expect(asked("b", asking, read("c"), write("d", "decided"))).toBeUndefined();
  });

  it("directly after such calls", () => {
    expect(asked("c", write("a", "settled"), write("b", "approved"), write("c", "asking"))).toBe(
      "do-c is asked about while do-b is approved",
    );
  });

  it("that is asking; other asks are not checked", () => {
    expect(asked("a", write("a", "approved"), asking)).toBeUndefined();
    expect(asked("b", write("a", "decided"), write("b", "approved"))).toBeUndefined();
  });

  it("by an open ask about a call only", () => {
    const turn = turnOf(write("a", "decided"), asking);
    expect(order.violation(stepOf({ before: { ask: undefined, turn } }))).toBeUndefined();
    expect(order.violation(stepOf({ before: { ask: { id: 5, ask: "followup" }, turn } }))).toBeUndefined();
  });
});

describe("a call of a subtask (ORDER)", () => {
  const subtaskStarts = (...calls: readonly ToolCall[]) => leaving([startOf("subtask", "b")], ...calls);
  const subtask = (callId: string, phase: Phase) => named(callId, phase, "delegates");

  it.each<Phase>(["delegated", "approved", "settled"])("starts behind another one that is %s", (phase) => {
    expect(subtaskStarts(subtask("a", phase), subtask("b", "delegated"))).toBeUndefined();
  });

  it.each<Phase>(["decided", "asking"])("does not start behind another one that is %s", (phase) => {
    expect(subtaskStarts(subtask("a", phase), subtask("b", "delegated"))).toMatch(/do-b started while do-a/);
  });

  it("does not start behind an approved call with another effect, or while a read runs", () => {
    expect(subtaskStarts(write("a", "approved"), subtask("b", "delegated"))).toMatch(/do-b started/);
    expect(subtaskStarts(read("a"), subtask("b", "delegated"))).toMatch(/do-b started/);
  });

  it("lets no other call start behind it", () => {
    expect(started("b", subtask("a", "delegated"), write("b"))).toMatch(/do-b started while do-a/);
    expect(started("b", subtask("a", "approved"), read("b"))).toMatch(/do-b started while do-a/);
  });
});
