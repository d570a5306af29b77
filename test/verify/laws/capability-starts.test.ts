import { describe, expect, it } from "vitest";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/index.ts";
import type { Phase, ToolCall } from "../../../machines/tool-call/index.ts";
import { callOf } from "./calls.ts";
import { allow, decided, found } from "./capability-parts.ts";
import { gone, started } from "./commit-parts.ts";

/** A tool and a subtask, and what their calls are once they have started. */
describe.each([
  ["tool", "running", "started without an unused decision", "ran with other arguments"],
  ["subtask", "delegated", "was delegated without a decision", "was delegated with other arguments"],
] as const)("a %s (L7)", (kind, begun, undecided, otherwise) => {
  const id = `${kind}:c`;
  const allowed = { verdict: allow("r") };
  const calls = [callOf("c", "decided", allowed), callOf("d", "decided", allowed)];
  const left = [callOf("c", begun, allowed), callOf("d", "decided", allowed)];
  /** What the law says where both calls could be decided and these pieces were told. */
  const told = (...emitted: readonly TaskEmitted[]) => found({ calls, left, emitted });
  const decision = decided({ rule: "r" });

  it("starts under the unused decision of its call", () => {
    expect(
      found({ calls: [callOf("c", "approved")], left: [callOf("c", begun)], emitted: [started(id)] }),
    ).toBeUndefined();
    expect(found({ calls: [], left: [callOf("c", begun)], emitted: [started(id)] })).toBe(`c ${undecided}`);
  });

  it.each<Phase>(["planned", "deciding", "decided", "asking", "running", "stopped", "settled"])(
    "does not start where its call is %s and nothing is decided",
    (phase) => {
      const emitted = [started(id)];
      expect(found({ calls: [callOf("c", phase)], left: [callOf("c", begun)], emitted })).toBe(
        `c ${undecided}`,
      );
    },
  );

  it("starts behind the decision of its call, in one macrostep, whatever is told beside them", () => {
    expect(told(decision, started(id))).toBeUndefined();
    const beside = [started("timer:1"), gone(id)];
    expect(
      told(...beside, decision, ...beside.toReversed(), started(id), { type: "turn.ended" }),
    ).toBeUndefined();
  });

  it("does not start before the decision of its call", () => {
    expect(told(started(id), decision)).toBe(`c ${undecided}`);
    expect(told(started(id), decision, { type: "turn.ended" })).toBe(`c ${undecided}`);
    expect(told(started("timer:1"), started(id), decision, { type: "turn.ended" })).toBe(`c ${undecided}`);
  });

  it("does not start under the decision of another call", () => {
    expect(told(decided({ rule: "r" }, "d"), started(id))).toBe(`c ${undecided}`);
    expect(told(decided({ rule: "r" }, "d"), decision, started(id))).toBeUndefined();
  });

  it("works with the arguments that came", () => {
    const other = [callOf("c", begun, { input: { path: "b.txt" } })];
    expect(found({ calls: [callOf("c", "approved")], left: other, emitted: [started(id)] })).toMatch(
      `c ${otherwise}`,
    );
    expect(found({ calls, left: other, emitted: [decision, started(id)] })).toMatch(`c ${otherwise}`);
  });

  it("has its call in the turn, and begun", () => {
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

  it("does so once", () => {
    const of = (...emitted: readonly TaskEmitted[]) => found({ calls: approved, left: running, emitted });
    expect(of(start, started("tool:d"))).toBeUndefined();
    expect(of(start, started("tool:d"), start)).toBe("c was started twice");
    expect(of(started("tool:d"), start, started("tool:d"))).toBe("d was started twice");
  });

  it("is not at work already", () => {
    const beside = (...earlier: readonly TaskEmitted[]) =>
      found({ calls: approved, left: running, earlier, emitted: [start] });
    expect(beside(started("tool:d"), started("review:c"))).toBeUndefined();
    expect(beside(start)).toBe("c was started twice");
  });

  it("is looked at also behind one that is right", () => {
    const emitted = [start, started("tool:d")];
    expect(found({ calls: approved, left: [callOf("c", "running")], emitted })).toBe(
      "d started and is in no turn",
    );
  });

  it("does what was looked at, by its digest", () => {
    const left = [callOf("c", "running", { digest: "other" })];
    expect(found({ calls: [callOf("c", "approved")], left, emitted: [start] })).toBe(
      "c ran with another digest",
    );
    const calls = [callOf("c", "approved", { digest: "other" })];
    expect(found({ calls, left, emitted: [start] })).toBeUndefined();
  });

  it("has a call that runs: one that is delegated is no tool's", () => {
    expect(found({ calls: approved, left: [callOf("c", "delegated")], emitted: [start] })).toBe(
      "c started and is delegated",
    );
  });
});

describe("a subtask that starts (L7)", () => {
  const again = (from: string, ...emitted: readonly TaskEmitted[]) =>
    found({ from, calls: [callOf("c", "delegated"), callOf("d", "approved")], emitted });

  it("goes on without another decision in a task that is opened again, and in no other", () => {
    expect(again("resumable", started("subtask:c"))).toBeUndefined();
    expect(again("running.delegated", started("subtask:c"))).toBe("subtask:c was started twice");
  });

  it("is looked at also behind one that goes on", () => {
    expect(again("resumable", started("subtask:c"), started("subtask:d"))).toBe(
      "subtask:d started and its call is approved",
    );
  });

  it("has a call that is delegated: one that runs is no subtask's", () => {
    expect(
      found({
        calls: [callOf("c", "approved")],
        left: [callOf("c", "running")],
        emitted: [started("subtask:c")],
      }),
    ).toBe("subtask:c started and its call is running");
  });
});

describe("a call is looked at (L7)", () => {
  const whole: TaskEvent = { type: "llm.tool.end", at: 9, requestId: 1, callId: "c", input: {} };
  const by = (event: TaskEvent, ...emitted: readonly TaskEmitted[]) => found({ event, emitted });

  it("when its arguments have come whole", () => {
    expect(by(whole, started("review:c"))).toBeUndefined();
    expect(by(whole, started("timer:c"), started("review:c"))).toBeUndefined();
  });

  it.each<TaskEvent>([
    { type: "llm.tool.delta", at: 9, requestId: 1, callId: "c", preview: "{" },
    { type: "llm.tool.broken", at: 9, requestId: 1, callId: "c", error: "cut" },
    { type: "tool.finished", at: 9, callId: "c", content: [] },
  ])("and not by what else comes of it: $type", (event) => {
    expect(by(event)).toBeUndefined();
    expect(by(event, started("review:c"))).toBe(`review:c was started by ${event.type}`);
  });

  it("and not when another's have", () => {
    expect(by(whole, started("review:d"))).toBe("review:d was started by llm.tool.end");
    expect(by(whole, started("review:c"), started("review:d"))).toBe("review:d was started by llm.tool.end");
  });
});
