import { describe, expect, it } from "vitest";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { Phase, ToolCall } from "../../../machines/tool-call/call.ts";
import { callOf } from "./calls.ts";
import { allow, decided, found } from "./capability-parts.ts";
import { gone, started } from "./commit-parts.ts";

/** A tool and a subtask, and the phases of their calls once started. */
describe.each([
  ["tool", "running", "started without an unused decision", "ran with other arguments"],
  ["subtask", "delegated", "was delegated without a decision", "was delegated with other arguments"],
] as const)("a %s (L7)", (kind, begun, undecided, otherwise) => {
  const id = `${kind}:c`;
  const allowed = { verdict: allow("r") };
  const calls = [callOf("c", "decided", allowed), callOf("d", "decided", allowed)];
  const left = [callOf("c", begun, allowed), callOf("d", "decided", allowed)];
  /** The violation of a macrostep with these emitted events, in which both calls could be decided. */
  const violationOf = (...emitted: readonly TaskEmitted[]) => found({ calls, left, emitted });
  const decision = decided({ rule: "r" });

  it("starts under the unused decision of its call", () => {
    expect(
      found({ calls: [callOf("c", "approved")], left: [callOf("c", begun)], emitted: [started(id)] }),
    ).toBeUndefined();
    expect(found({ calls: [], left: [callOf("c", begun)], emitted: [started(id)] })).toBe(`c ${undecided}`);
  });

  it.each<Phase>(["planned", "deciding", "decided", "asking", "running", "stopped", "settled"])(
    "does not start when its call is %s and undecided",
    (phase) => {
      const emitted = [started(id)];
      expect(found({ calls: [callOf("c", phase)], left: [callOf("c", begun)], emitted })).toBe(
        `c ${undecided}`,
      );
    },
  );

  it("starts after the decision of its call, in one macrostep, among other events", () => {
    expect(violationOf(decision, started(id))).toBeUndefined();
    const beside = [started("timer:1"), gone(id)];
    expect(
      violationOf(...beside, decision, ...beside.toReversed(), started(id), { type: "turn.ended" }),
    ).toBeUndefined();
  });

  it("does not start before the decision of its call", () => {
    expect(violationOf(started(id), decision)).toBe(`c ${undecided}`);
    expect(violationOf(started(id), decision, { type: "turn.ended" })).toBe(`c ${undecided}`);
    expect(violationOf(started("timer:1"), started(id), decision, { type: "turn.ended" })).toBe(
      `c ${undecided}`,
    );
  });

  it("does not start under the decision of another call", () => {
    expect(violationOf(decided({ rule: "r" }, "d"), started(id))).toBe(`c ${undecided}`);
    expect(violationOf(decided({ rule: "r" }, "d"), decision, started(id))).toBeUndefined();
  });

  it("gets the received arguments", () => {
    const other = [callOf("c", begun, { input: { path: "b.txt" } })];
    expect(found({ calls: [callOf("c", "approved")], left: other, emitted: [started(id)] })).toMatch(
      `c ${otherwise}`,
    );
    expect(found({ calls, left: other, emitted: [decision, started(id)] })).toMatch(`c ${otherwise}`);
  });

  it("has its call in the turn, in a started phase", () => {
    const of = (...left: readonly ToolCall[]) =>
      found({ calls: [callOf("c", "approved")], left, emitted: [started(id)] });
    expect(of(callOf("c", begun))).toBeUndefined();
    expect(of(callOf("c", "approved"))).toMatch(/ is approved$/);
    expect(of(callOf("d", begun))).toMatch(/ is in no turn$/);
    expect(of()).toMatch(/ is in no turn$/);
  });
});

describe("a tool that starts (L7)", () => {
  const start = started("tool:c");
  const approved = [callOf("c", "approved"), callOf("d", "approved")];
  const running = [callOf("c", "running"), callOf("d", "running")];

  it("starts once", () => {
    const of = (...emitted: readonly TaskEmitted[]) => found({ calls: approved, left: running, emitted });
    expect(of(start, started("tool:d"))).toBeUndefined();
    expect(of(start, started("tool:d"), start)).toBe("c was started twice");
    expect(of(started("tool:d"), start, started("tool:d"))).toBe("d was started twice");
  });

  it("is not active already", () => {
    const beside = (...earlier: readonly TaskEmitted[]) =>
      found({ calls: approved, left: running, earlier, emitted: [start] });
    expect(beside(started("tool:d"), started("review:c"))).toBeUndefined();
    expect(beside(start)).toBe("c was started twice");
  });

  it("is checked also after a valid start", () => {
    const emitted = [start, started("tool:d")];
    expect(found({ calls: approved, left: [callOf("c", "running")], emitted })).toBe(
      "d started and is in no turn",
    );
  });

  it("has the digest of its review", () => {
    const left = [callOf("c", "running", { digest: "other" })];
    expect(found({ calls: [callOf("c", "approved")], left, emitted: [start] })).toBe(
      "c ran with another digest",
    );
    const calls = [callOf("c", "approved", { digest: "other" })];
    expect(found({ calls, left, emitted: [start] })).toBeUndefined();
  });

  it("has a running call, not a delegated one", () => {
    expect(found({ calls: approved, left: [callOf("c", "delegated")], emitted: [start] })).toBe(
      "c started and is delegated",
    );
  });
});

describe("a subtask that starts (L7)", () => {
  const again = (from: string, ...emitted: readonly TaskEmitted[]) =>
    found({ from, calls: [callOf("c", "delegated"), callOf("d", "approved")], emitted });

  it("continues without another decision only in a reopened task", () => {
    expect(again("resumable", started("subtask:c"))).toBeUndefined();
    expect(again("running.delegated", started("subtask:c"))).toBe("subtask:c was started twice");
  });

  it("is checked also after one that continues", () => {
    expect(again("resumable", started("subtask:c"), started("subtask:d"))).toBe(
      "subtask:d started and its call is approved",
    );
  });

  it("has a delegated call, not a running one", () => {
    expect(
      found({
        calls: [callOf("c", "approved")],
        left: [callOf("c", "running")],
        emitted: [started("subtask:c")],
      }),
    ).toBe("subtask:c started and its call is running");
  });
});

describe("a call is reviewed (L7)", () => {
  const complete: TaskEvent = { type: "llm.tool.end", at: 9, requestId: 1, callId: "c", input: {} };
  const by = (event: TaskEvent, ...emitted: readonly TaskEmitted[]) => found({ event, emitted });

  it("when its arguments are complete", () => {
    expect(by(complete, started("review:c"))).toBeUndefined();
    expect(by(complete, started("timer:c"), started("review:c"))).toBeUndefined();
  });

  it.each<TaskEvent>([
    { type: "llm.tool.delta", at: 9, requestId: 1, callId: "c", preview: "{" },
    { type: "llm.tool.broken", at: 9, requestId: 1, callId: "c", error: "cut" },
    { type: "tool.finished", at: 9, callId: "c", content: [] },
  ])("and not after $type", (event) => {
    expect(by(event)).toBeUndefined();
    expect(by(event, started("review:c"))).toBe(`review:c was started by ${event.type}`);
  });

  it("and not when the arguments of another call are complete", () => {
    expect(by(complete, started("review:d"))).toBe("review:d was started by llm.tool.end");
    expect(by(complete, started("review:c"), started("review:d"))).toBe(
      "review:d was started by llm.tool.end",
    );
  });
});
