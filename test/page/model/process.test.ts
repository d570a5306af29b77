import { describe, expect, it } from "vitest";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { endOfProcess, isUnderWay, processOf } from "../../../visualize/page/model/process.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { appended, commit, snapshotOf, traceOf } from "../panes/trace.ts";

const MINUTE = 60_000;

const infoOf = (more: Partial<TaskInfo> = {}): TaskInfo => ({
  ...{ id: "t", title: "A task", state: "running", path: "running", cost: 0, createdAt: 1_000 },
  ...{ updatedAt: 1_001, isOpen: false, asks: [] },
  ...more,
});

/** A trace in whose last event this actor starts. */
const started = (effect: "tool" | "llm" | "timer" | "hook" | "subtask" | "opening", id: string) =>
  snapshotOf(traceOf([commit(1, { effects: [{ type: "effect.started", effect, id }] })]));

const ASKED = snapshotOf(
  traceOf([
    commit(1, {
      after: "waiting_for_input",
      log: [appended({ ts: 1_001, type: "ask", ask: "tool", text: "{}" })],
    }),
  ]),
);
const IDLE = snapshotOf(traceOf([commit(1, { after: "idle.failed" })]));

describe("the process of a task", () => {
  const trace = started("llm", "llm");
  it("is alive while the server has the task open", () => {
    expect(processOf(infoOf({ isOpen: true }), trace, true)).toBe("alive");
    expect(processOf(infoOf({ isOpen: true }), trace, false)).toBe("alive");
  });

  it("has ended if the list says that the task is interrupted", () => {
    expect(processOf(infoOf({ state: "resumable", isInterrupted: true }), trace, true)).toBe("ended");
  });

  it("has not ended before there was one: a fork is listed as interrupted until it is opened", () => {
    const fork = (last: number): TraceSnapshot => {
      const { taskId } = trace;
      const forkedFrom = { taskId: "other", seq: 1 };
      const header = { seq: 0, kind: "header", version: 2, taskId, createdAt: 1_000, forkedFrom } as const;
      const commits = Array.from({ length: last }, (_, index) => commit(index + 1));
      const events = [header, ...commits].map((record, seq) => ({ seq, taskId, record, from: "task" }));
      return new GrowingTrace(taskId, events).snapshot();
    };
    const info = infoOf({ isInterrupted: true });
    expect(processOf(info, fork(1), true)).toBe("unknown");
    expect(processOf(info, fork(2), true)).toBe("ended");
  });

  it("is alive elsewhere if a server lists work, and the page has all events of it", () => {
    expect(processOf(infoOf(), trace, true)).toBe("alive");
    expect(processOf(infoOf({ updatedAt: 9_000 }), trace, true)).toBe("unknown");
    expect(processOf(infoOf({ state: "idle" }), trace, true)).toBe("unknown");
  });

  it("is unknown of a recording", () => {
    expect(processOf(infoOf(), trace, false)).toBe("unknown");
    expect(processOf(undefined, trace, true)).toBe("unknown");
  });
});

describe("something is under way", () => {
  it("while an actor runs, an ask is open, or the task is not at rest", () => {
    expect(isUnderWay(started("llm", "llm"))).toBe(true);
    expect(isUnderWay(ASKED)).toBe(true);
    expect(isUnderWay(snapshotOf(traceOf([commit(1)])))).toBe(true);
    expect(isUnderWay(IDLE)).toBe(false);
  });
});

describe("the end of a process", () => {
  const said = (trace: TraceSnapshot, ago: number): string =>
    endOfProcess(infoOf({ isInterrupted: true }), trace, 1_001 + ago);

  it.each([
    [started("tool", "tool:1/c1"), "The process ended while a tool ran, 4 min ago."],
    [started("llm", "llm"), "The process ended while a request was open, 4 min ago."],
    [started("subtask", "subtask:s1"), "The process ended while a subtask ran, 4 min ago."],
    [started("timer", "timer"), "The process ended while it waited for its next try, 4 min ago."],
    [started("hook", "hook:h1"), "The process ended while a hook ran, 4 min ago."],
    [started("opening", "opening"), "The process ended while the task worked, 4 min ago."],
    [ASKED, "The process ended while it waited for an answer, 4 min ago."],
  ])("names what was under way, and how long ago that was (%#)", (trace, sentence) => {
    expect(said(trace, 4 * MINUTE + 59_000)).toBe(sentence);
  });

  it.each([
    [59_999, "59 s ago"],
    [59 * MINUTE, "59 min ago"],
    [47 * 60 * MINUTE, "47 h 00 min ago"],
    [48 * 60 * MINUTE, "2 d ago"],
    [-5_000, "0 s ago"],
  ])("was %i ms ago in whole units", (ms, text) => {
    expect(said(ASKED, ms)).toBe(`The process ended while it waited for an answer, ${text}.`);
  });

  it("names no work that an older trace has", () => {
    const info = infoOf({ isInterrupted: true, updatedAt: 9_000 });
    expect(endOfProcess(info, started("tool", "tool:c1"), 9_000 + MINUTE)).toBe(
      "The process ended while the task worked, 1 min ago.",
    );
  });
});
