import { describe, expect, it } from "vitest";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { barText } from "../../../visualize/page/timeline/bar-text.ts";
import { eventsOf } from "../../../visualize/trace/events-of.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import { recorded, snapshotOf } from "../panes/trace.ts";
import { barsOf, START, trace, WAITING } from "./support.ts";

const CALL = { toolUseId: "t", name: "new_task", ask: "tool" } as const;

describe("the bars of a trace", () => {
  it("last from the start of an actor to its stop, in the lane of its kind", () => {
    const task = trace(WAITING);
    expect(barsOf(task, "tools", "person", "checks", "setup")).toEqual([
      "setup context 0-100",
      "setup context 2500-2600",
      "checks review 5600-5800",
      "person ask 5800-1048800",
      "tools tool 1048800-1054800",
      "person ask 1054800-",
    ]);
    expect(barsOf(task, "state").slice(-3)).toEqual([
      "state waiting_for_input 5800-1048800",
      "state running 1048800-1054800",
      "state idle 1054800-",
    ]);
  });

  it("start with the records that a fork shares, which are older than its header", () => {
    const task = trace(WAITING);
    const header: JournalRecord = {
      seq: 0,
      kind: "header",
      version: 3,
      taskId: "fork",
      createdAt: START + 9_999_999,
      forkedFrom: { taskId: "t1", seq: 12 },
    };
    const tracer = new Tracer("fork");
    const rest = Array.from({ length: task.length - 1 }, (_, at) => task.event(at + 1).record);
    const fork = new TraceLog(
      "fork",
      [header, ...rest].map((record) => tracer.add(record)),
    );
    expect(barsOf(snapshotOf(fork), "model", "person")).toEqual(barsOf(task, "model", "person"));
    expect(snapshotOf(fork).index.times[0]).toBe(START);
  });

  it("divide a request at the first output of the model, and show the wait before its retry", () => {
    expect(barsOf(trace(WAITING), "model")).toEqual([
      "model request 100-500",
      "model retry 500-2500",
      "model request 2600-3600",
      "model response 3600-5700",
    ]);
  });

  it("do not divide a request at its usage, which is no output", () => {
    const streaming = { after: "streaming.receiving" };
    const request = trace([
      { at: 0, cause: "context.ready", ...streaming, effects: "+llm" },
      { at: 100, cause: "llm.usage", ...streaming },
      { at: 900, cause: "llm.text.delta", ...streaming },
    ]);
    expect(barsOf(request, "model")).toEqual(["model request 0-900", "model response 900-"]);
  });

  it("have no bar for a timer that is a deadline", () => {
    const deadline = trace([
      { at: 0, cause: "llm.finished", after: "streaming.finishing", effects: "+timer" },
      { at: 9, cause: "timer.fired", after: "running", effects: "-timer" },
    ]);
    expect(barsOf(deadline, "model", "checks", "setup")).toEqual([]);
  });

  it("have no wait for an ask about a command that runs", () => {
    const running = trace([
      { at: 0, cause: "ask.answered", after: "running.commanding", effects: "+tool:c" },
      {
        ...{ at: 5, cause: "tool.progress", after: "running.commanding", effects: "+ask:7" },
        log: [{ type: "message.appended", message: { ts: 7, type: "ask", ask: "command_output", text: "" } }],
      },
    ]);
    expect(barsOf(running, "tools", "person")).toEqual(["tools tool 0-"]);
  });

  it("share rows from the ninth subtask on: one that starts while others work has a row where none does", () => {
    const ids = [..."abcdefgh"];
    const task = trace([
      ...ids.map((id, at) => ({
        at,
        cause: "call.reviewed",
        after: "running.delegated",
        effects: `+subtask:${id}`,
      })),
      { at: 8, cause: "subtask.ended", after: "running.delegated", effects: "-subtask:d +subtask:i" },
      { at: 9, cause: "subtask.ended", after: "running.delegated", effects: "-subtask:a +subtask:j" },
    ]);
    const rows = task.index.timeline.bars.filter(({ lane }) => lane === "subtasks").map(({ row }) => row);
    expect(rows).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 3, 0]);
  });

  it("have a row for each tool that runs at the same time, and for each subtask", () => {
    const task = trace([
      { at: 0, cause: "call.reviewed", after: "running", effects: "+tool:a +tool:b" },
      { at: 1, cause: "tool.finished", after: "running", effects: "-tool:a +tool:c" },
      {
        at: 2,
        cause: "call.reviewed",
        after: "running.delegated",
        calls: ["d", "e"].map((id) => ({
          ...CALL,
          callId: id,
          phase: "delegated",
          input: {},
          childId: `t.${id}`,
        })),
        effects: "+subtask:d",
      },
      { at: 3, cause: "subtask.ended", after: "running.delegated", effects: "-subtask:d +subtask:e" },
    ]);
    const rows = task.index.timeline.bars
      .filter(({ lane }) => lane !== "state")
      .map(({ row, subject }) => [subject, row]);
    expect(rows).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 0],
      ["t.d", 0],
      ["t.e", 1],
    ]);
    expect(task.index.timeline.rows.get("subtasks")).toBe(2);
    expect(task.index.timeline.rows.get("person")).toBeUndefined();
  });

  it("end with the last event of a process that ended, and the time without a process is a wait", () => {
    const task = trace([
      { at: 0, cause: "call.reviewed", after: "running.commanding", effects: "+tool:c" },
      { at: 500, cause: "tool.progress", after: "running.commanding" },
      { at: 60_500, cause: "task.recovered", after: "resumable", effects: "+ask:7" },
    ]);
    expect(barsOf(task, "tools", "person")).toEqual(["tools tool 0-500", "person ask 60500-"]);
    expect(task.index.timeline.quiet).toEqual([
      { reason: "gone", seq: 2, from: START + 500, to: START + 60_500 },
      { reason: "person", seq: 3, from: START + 60_500, to: undefined },
    ]);
  });

  it("never run backwards, if the clock does", () => {
    const task = trace([
      { at: 900, cause: "call.reviewed", after: "running", effects: "+tool:c" },
      { at: 400, cause: "tool.finished", after: "running", effects: "-tool:c" },
    ]);
    expect(barsOf(task, "tools")).toEqual(["tools tool 900-900"]);
    expect(task.index.times).toEqual([START, START + 900, START + 900]);
  });

  it("say what they show", () => {
    const task = trace(WAITING);
    const texts = task.index.timeline.bars.map((bar) => barText(bar, task));
    expect(texts).toContain("wait for you: npm run build");
    expect(texts).toContain("tool execute_command: npm run build");
    expect(texts).toContain("wait before a retry");
    const resuming = trace([
      {
        ...{ at: 0, cause: "task.cancel", after: "resumable", effects: "+ask:7" },
        log: [{ type: "message.appended", message: { ts: 7, type: "ask", ask: "resume_task", text: "" } }],
      },
    ]);
    const waits = resuming.index.timeline.bars.filter(({ kind }) => kind === "ask");
    expect(waits.map((bar) => barText(bar, resuming))).toEqual([
      "wait for you: The task was interrupted. Resume it?",
    ]);
  });
});

describe("the waits of a trace", () => {
  it("do not start before the first bar", () => {
    const recovered = trace([{ at: 60_000, cause: "task.recovered", after: "resumable", effects: "+ask:7" }]);
    expect(recovered.index.timeline.quiet.map(({ reason, seq }) => [reason, seq])).toEqual([["person", 1]]);
    expect(barsOf(recovered, "state")).toEqual(["state resumable 60000-"]);
  });

  it("are the times of at least 5 s in which nothing is done", () => {
    expect(trace(WAITING).index.timeline.quiet).toEqual([
      { reason: "person", seq: 10, from: START + 5_800, to: START + 1_048_800 },
      { reason: "person", seq: 12, from: START + 1_054_800, to: undefined },
    ]);
  });

  it("are not those in which the model, a tool or a subtask works", () => {
    const busy = trace([
      { at: 0, cause: "call.reviewed", after: "waiting_for_input.approval", effects: "+tool:a +ask:7" },
      { at: 90_000, cause: "ask.answered", after: "running", effects: "-ask:7 +subtask:b" },
      { at: 180_000, cause: "tool.finished", after: "running", effects: "-tool:a" },
    ]);
    expect(busy.index.timeline.quiet).toEqual([]);
  });

  it("are one for each ask", () => {
    const asks = trace([
      { at: 0, cause: "call.reviewed", after: "waiting_for_input.approval", effects: "+ask:7" },
      { at: 6_000, cause: "ask.answered", after: "waiting_for_input.approval", effects: "-ask:7 +ask:8" },
      { at: 13_000, cause: "ask.answered", after: "running", effects: "-ask:8 +tool:a" },
    ]);
    expect(asks.index.timeline.quiet.map(({ from, to = 0 }) => to - from)).toEqual([6_000, 7_000]);
  });
});

describe("the marks of a trace", () => {
  it("have the highest score of the monitors, and whether an audit found an attack", () => {
    const record = { point: "call", author: "untrusted", digest: "d", verdict: "audit" } as const;
    const judged = trace([
      {
        ...{ at: 0, cause: "call.reviewed", after: "running" },
        control: [
          { ...record, scores: { a: 0.2, b: 0.9 } },
          { ...record, scores: { a: 0.4 } },
        ],
      },
      {
        at: 5,
        cause: "call.reviewed",
        after: "running",
        control: [{ ...record, scores: {}, audit: "attack" }],
      },
    ]);
    expect(judged.index.timeline.verdicts).toEqual([
      { seq: 1, score: 0.9, isBad: false },
      { seq: 2, score: 0, isBad: true },
    ]);
  });

  it("have the size of the context, and where it was condensed", () => {
    const condensed = trace([
      { at: 0, cause: "context.ready", after: "streaming.receiving", facts: { contextTokens: 900 } },
      {
        ...{ at: 5, cause: "condense.finished", after: "streaming.preparing", facts: { contextTokens: 300 } },
        log: [{ type: "message.amended", ts: 1, patch: { contextCondense: { summary: "s" } } }],
      },
    ]);
    expect(condensed.index.timeline.context).toEqual([
      { seq: 1, tokens: 900, isCompacted: false },
      { seq: 2, tokens: 300, isCompacted: true },
    ]);
  });
});

it("a snapshot keeps its bars while the trace grows, and a grown trace has the bars of a whole one", () => {
  const whole = recorded("v1/completed");
  const growing = new GrowingTrace("t");
  growing.append([whole.event(0), whole.event(1)]);
  const early = growing.snapshot().index.timeline;
  const before = structuredClone(early.bars);
  for (let seq = 2; seq < whole.length; seq += 1) {
    growing.append([whole.event(seq)]);
    growing.snapshot();
  }
  expect(early.bars).toEqual(before);
  const events = eventsOf(whole);
  expect(growing.snapshot().index.timeline).toEqual(new GrowingTrace("t", events).snapshot().index.timeline);
});
