import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { GrowingSubtasks } from "../../../visualize/page/model/growing-subtasks.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { subtaskRows, treeCost } from "../../../visualize/page/model/subtask-rows.ts";
import { subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import { waitingStarts } from "../../../visualize/page/model/waiting-starts.ts";
import { barText } from "../../../visualize/page/timeline/bar-text.ts";
import { nestedBars } from "../../../visualize/page/timeline/nested-bars.ts";
import { rowsOf } from "../../../visualize/page/timeline/rows.ts";
import type { TraceEvent } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { appended, commit } from "../panes/trace.ts";

/** A record at a time in milliseconds. */
const at = (time: number, parts: Partial<CommitRecord>) => ({ time, parts });

/** The events of a task, each at its time: the first one is its header. */
function task(
  id: string,
  created: number,
  ...records: readonly ReturnType<typeof at>[]
): readonly TraceEvent[] {
  const tracer = new Tracer(id);
  const prompt: ClineMessage = { ts: created, type: "say", say: "text", text: `Work as ${id}` };
  const all = [at(created, { log: [appended(prompt)], after: "streaming.receiving" }), ...records];
  return [
    tracer.add({ seq: 0, kind: "header", version: 3, taskId: id, createdAt: created }),
    ...all.map(({ time, parts }, nth) =>
      tracer.add(commit(nth + 1, { at: time, cause: { type: "llm.text.delta", at: time }, ...parts })),
    ),
  ];
}

/** The start of a subtask by a call of this id. */
const started = (callId: string, childId: string): Partial<CommitRecord> => ({
  calls: [{ callId, toolUseId: "t", name: "new_task", ask: "tool", phase: "delegated", input: {}, childId }],
  effects: [{ type: "effect.started", effect: "subtask", id: `subtask:${callId}` }],
  after: "running.delegated",
});
const ended = (callId: string): Partial<CommitRecord> => ({
  calls: [
    {
      callId,
      toolUseId: "t",
      name: "new_task",
      ask: "tool",
      phase: "settled",
      outcome: { kind: "done", content: [] },
    },
  ],
  effects: [{ type: "effect.stopped", effect: "subtask", id: `subtask:${callId}` }],
  after: "running.delegated",
});
const permitted = (...callIds: readonly string[]): Partial<CommitRecord> => ({
  decisions: callIds.map((callId) => ({ callId, digest: "d", by: { rule: "r" }, at: 1 })),
  after: "running.settling",
});
const cost = (dollars: number) => ({
  facts: { total: { tokensIn: 90, tokensOut: 10, cacheWrites: 0, cacheReads: 0, cost: dollars } },
});
const asks: Partial<CommitRecord> = {
  log: [appended({ ts: 2_500, type: "ask", ask: "command", callId: "x", text: "npm test" })],
  after: "waiting_for_input.approval",
};

/** A task that starts subtasks 1 and 2 at 2,000 ms; 1.1 and 1.2 work at the same time, and 1.3 after 1.1. A third one waits. */
const ROOT = task(
  "r",
  1_000,
  ...["a", "b", "c"].map((callId) =>
    at(1_800, { cause: { type: "llm.tool.start", at: 1_800, callId, name: "new_task" } }),
  ),
  at(1_900, permitted("a", "b", "c")),
  at(2_000, started("a", "r.1")),
  at(2_001, started("b", "r.2")),
  at(9_000, { after: "running.delegated", ...cost(0.5) }),
);
const ONE = task(
  "r.1",
  2_000,
  at(3_000, started("d", "r.1.1")),
  at(3_000, started("e", "r.1.2")),
  at(4_000, ended("d")),
  at(5_000, { ...started("f", "r.1.3"), ...cost(0.25) }),
);
const INNER = ["r.1.1", "r.1.2", "r.1.3"].map((id) => task(id, 3_000));
const TWO = task("r.2", 2_001, at(2_500, { ...asks, ...cost(1) }));

function shown(...inner: readonly (readonly TraceEvent[])[]) {
  const trace = new GrowingTrace("r", ROOT).snapshot();
  const growing = new GrowingSubtasks();
  for (const events of inner) growing.append(events);
  return { trace, tree: subtaskTree(trace, growing.snapshot()) };
}

describe("the subtasks of a task at a moment", () => {
  const { trace, tree } = shown(ONE, ...INNER, TWO);
  const newest = { at: trace.length - 1, isPast: false, until: 10_000 };

  it("have their numbers, what they wait for, tokens, cost, and the time until now", () => {
    const rows = subtaskRows(trace, tree, newest, []);
    expect(rows.map(({ number }) => number)).toEqual(["1", "1.1", "1.2", "1.3", "2"]);
    const { known, name } = rows.at(-1)!;
    expect([name, known?.status.word, known?.status.reason]).toEqual([
      "Work as r.2",
      "waiting",
      "asks to run `npm test`",
    ]);
    expect([known?.elapsed, known?.tokens, known?.info.cost]).toEqual([7_999, 100, 1]);
    expect(rows[0]?.known?.status.reason).toBe("waits for its subtasks");
  });

  it("cost the sum of all with their task; unknown, if a part is", () => {
    const rows = subtaskRows(trace, tree, newest, []);
    expect(treeCost(0.5, rows)).toBe(1.75);
    expect(treeCost(null, rows)).toBeNull();
    expect(treeCost(0.5, subtaskRows(trace, shown(ONE).tree, newest, []))).toBeNull();
  });

  it("are as the list of tasks has them, at the newest event", () => {
    const listed: TaskInfo = {
      ...{
        id: "r.2",
        title: "Two",
        state: "idle",
        path: "idle.completing",
        rest: "completed",
        isOpen: false,
      },
      ...{ cost: 2, createdAt: 2_001, updatedAt: 4_001, asks: [] },
    };
    const [row] = subtaskRows(trace, tree, newest, [listed]).slice(-1);
    expect(row?.known).toMatchObject({ info: listed, elapsed: 2_000, status: { word: "completed" } });
    const past = { at: trace.length - 1, isPast: true, until: 9_000 };
    expect(subtaskRows(trace, tree, past, [listed]).at(-1)?.known?.status.word).toBe("waiting");
  });

  it("are only those that had begun, in the states of that time, at a past event", () => {
    const past = (event: number) =>
      subtaskRows(trace, tree, { at: event, isPast: true, until: trace.index.times[event] ?? 0 }, []).map(
        ({ number, known }) => `${number} ${known?.status.word} ${known?.elapsed}`,
      );
    expect(past(5)).toEqual([]);
    expect(past(6)).toEqual(["1 running 0"]);
    expect(past(7)).toEqual(["1 running 1", "2 running 0"]);
  });

  it("are listed by their ids while their traces are not loaded", () => {
    const rows = subtaskRows(trace, shown().tree, newest, []);
    expect(rows.map(({ number, name, known }) => [number, name, known])).toEqual([
      ["1", "r.1", undefined],
      ["2", "r.2", undefined],
    ]);
  });
});

it("calls that may start a subtask wait for their turn until they start it", () => {
  const { trace } = shown();
  const waiting = Array.from({ length: trace.length }, (_, event) =>
    waitingStarts(trace.index, event).join(" "),
  );
  expect(waiting).toEqual(["", "", "", "", "", "a b c", "b c", "c", "c"]);
});

describe("the timeline of subtasks that work at the same time", () => {
  const { trace, tree } = shown(ONE, ...INNER, TWO);
  const nested = nestedBars(trace, tree);

  it("has another row for each of those that overlap, and one for those that follow each other", () => {
    const rows = rowsOf(trace, false, nested).filter(({ lane }) => lane === "subtasks");
    expect(rows.map(({ name }) => name)).toEqual(["subtask 1", "↳ level 2", "↳ 1.2", "subtask 2"]);
    const rowOf = (id: string) => nested.bars.find(({ subject }) => subject === id)?.row;
    expect(rowOf("r.1.1")).toBe(rowOf("r.1.3"));
    expect(rowOf("r.1.1")).not.toBe(rowOf("r.1.2"));
    expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length);
  });

  it("has bars with numbers and names, and their states at their times", () => {
    const bars = nested.own.filter(({ lane }) => lane === "subtasks");
    expect(bars.map((bar) => barText(bar, trace))).toEqual([
      "subtask 1 Work as r.1 (running)",
      "subtask 2 Work as r.2 (waiting)",
    ]);
    expect(bars[1]?.states?.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["streaming", 2_001, 2_500],
      ["waiting_for_input", 2_500, undefined],
    ]);
  });
});
