import { describe, expect, it } from "vitest";
import { GrowingSubtasks } from "../../../visualize/page/model/growing-subtasks.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { subtaskLabel } from "../../../visualize/page/model/subtask-name.ts";
import { subtaskRows, treeCost } from "../../../visualize/page/model/subtask-rows.ts";
import { subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import { waitingStarts } from "../../../visualize/page/model/waiting-starts.ts";
import { barText } from "../../../visualize/page/timeline/bar-text.ts";
import { nestedBars } from "../../../visualize/page/timeline/nested-bars.ts";
import { rowsOf } from "../../../visualize/page/timeline/rows.ts";
import type { TraceEvent } from "../../../visualize/trace/index.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { appended } from "../panes/trace.ts";
import { asks, at, ended, started, task } from "../subtask-traces.ts";

const permitted = (...callIds: readonly string[]): Partial<CommitRecord> => ({
  decisions: callIds.map((callId) => ({ callId, digest: "d", by: { rule: "r" }, at: 1 })),
  after: "running.settling",
});
const cost = (dollars: number) => ({
  facts: { total: { tokensIn: 90, tokensOut: 10, cacheWrites: 0, cacheReads: 0, cost: dollars } },
});
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

const LISTED: Omit<TaskInfo, "id" | "title"> = {
  ...{ state: "idle", path: "idle.completing", rest: "completed", isOpen: false },
  ...{ cost: 2, createdAt: 2_001, updatedAt: 4_001, asks: [] },
};

describe("the subtasks of a task at a moment", () => {
  const { trace, tree } = shown(ONE, ...INNER, TWO);
  const newest = { at: trace.length - 1, isPast: false, until: 10_000 };

  it("have their numbers, what they wait for, tokens, cost, and the time until now", () => {
    const rows = subtaskRows(trace, tree, newest, []);
    expect(rows.map(({ number }) => number)).toEqual(["1", "1.1", "1.2", "1.3", "2"]);
    const { known, title } = rows.at(-1)!;
    expect([title, known?.status.word, known?.status.reason]).toEqual([
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
    const listed: TaskInfo = { ...LISTED, id: "r.2", title: "Two" };
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

  it("are listed by their numbers while their traces are not loaded", () => {
    const rows = subtaskRows(trace, shown().tree, newest, []);
    expect(rows.map(({ number, title, known }) => [number, title, known])).toEqual([
      ["1", "", undefined],
      ["2", "", undefined],
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
  /** The timeline of a task with one subtask, which these records are of. */
  const timelineOf = (...records: readonly ReturnType<typeof at>[]) => {
    const own = new GrowingTrace("r", task("r", 1_000, at(2_000, started("a", "r.1")))).snapshot();
    const growing = new GrowingSubtasks();
    growing.append(task("r.1", 2_000, ...records));
    const bars = nestedBars(own, subtaskTree(own, growing.snapshot())).own;
    const bar = bars.find(({ lane }) => lane === "subtasks");
    return { bar: bar!, text: barText(bar!, own) };
  };

  it("has a subtask that offers its result as waiting for a person until the answer, and then as completed", () => {
    const offers = at(3_000, {
      log: [appended({ ts: 3_000, type: "ask", ask: "completion_result", text: "Done." })],
      effects: [{ type: "effect.started", effect: "ask", id: "ask:3000" }],
      after: "idle.completing",
    });
    const accepted = at(4_000, {
      log: [{ type: "message.amended", ts: 3_000, patch: { closing: "answered" } }],
      effects: [{ type: "effect.stopped", effect: "ask", id: "ask:3000" }],
      after: "idle.completed",
    });
    const states = [
      ["streaming", 2_000, 3_000],
      ["idle", 3_000, undefined],
    ];
    const before = timelineOf(offers);
    const after = timelineOf(offers, accepted);
    const inShort = ({ bar }: typeof before) => bar.states?.map(({ kind, from, to }) => [kind, from, to]);
    expect(inShort(before)).toEqual([...states, ["waiting_for_input", 3_000, undefined]]);
    expect(inShort(after)).toEqual([...states, ["waiting_for_input", 3_000, 4_000]]);
    expect(after.text).toBe("subtask 1 Work as r.1 (completed)");
  });

  it("has the status of the list of tasks, as the panel does, and the whole names of its rows as titles", () => {
    const listed: TaskInfo = { ...LISTED, id: "r.1", title: "Part one", isInterrupted: true };
    const titles = new Map([["r.1", "Part one"]]);
    const named = subtaskTree(trace, tree.loaded, titles);
    const bars = nestedBars(trace, named, [listed]);
    const [bar] = bars.own.filter(({ lane }) => lane === "subtasks");
    expect(bar && barText(bar, trace)).toBe("subtask 1 Part one (interrupted)");
    expect(rowsOf(trace, false, bars).flatMap(({ title }) => title ?? [])).toEqual([
      "1 Part one",
      "1.1 Work as r.1.1; 1.3 Work as r.1.3",
      "1.2 Work as r.1.2",
      "2 Work as r.2",
    ]);
  });

  it("shortens the name of a row that has no room beside it", () => {
    const id = `damaged-${"x".repeat(40)}`;
    const own = new GrowingTrace("r", task("r", 1_000, at(2_000, started("a", id)))).snapshot();
    const rows = rowsOf(own, false, nestedBars(own, subtaskTree(own)));
    const row = rows.find(({ lane }) => lane === "subtasks");
    expect([row?.name.length, row?.title]).toEqual([14, id]);
  });

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

it("a row of a subtask is computed again only for its own events", () => {
  const rowsOf = (...inner: readonly (readonly TraceEvent[])[]) => {
    const trace = new GrowingTrace("r", ROOT).snapshot();
    const growing = new GrowingSubtasks();
    const rows = inner.map((events) => {
      growing.append(events);
      const moments = [false, true].map((isPast) => ({ at: trace.length - 1, isPast, until: 9_000 }));
      const tree = subtaskTree(trace, growing.snapshot());
      return moments.map((moment) => subtaskRows(trace, tree, moment, []));
    });
    return rows;
  };
  const [before, after] = rowsOf([...ONE.slice(0, 4), ...TWO.slice(0, 2)], TWO.slice(2));
  for (const moment of [0, 1]) {
    const byId = (rows: typeof before, id: string) => rows?.[moment]?.find(({ taskId }) => taskId === id);
    expect(byId(after, "r.1")).toBe(byId(before, "r.1"));
    expect(byId(after, "r.2")).not.toBe(byId(before, "r.2"));
    expect(byId(after, "r.2")?.known?.status.word).toBe("waiting");
  }
});

it("every pane has the title of the list of tasks, or else the recorded one, after the number", () => {
  const trace = new GrowingTrace("r", ROOT).snapshot();
  const growing = new GrowingSubtasks();
  for (const events of [ONE, ...INNER]) growing.append(events);
  const titles = new Map([["r.1", "\n The  site \nand more"]]);
  const tree = subtaskTree(trace, growing.snapshot(), titles);
  const rows = subtaskRows(trace, tree, { at: trace.length - 1, isPast: false, until: 9_000 }, []);
  expect(rows.map(subtaskLabel)).toEqual([
    ...["1 The site", "1.1 Work as r.1.1", "1.2 Work as r.1.2", "1.3 Work as r.1.3", "2"],
  ]);
  expect(tree.all.map(({ taskId }) => tree.nameOf(taskId))).toEqual(rows.map(subtaskLabel));
  expect(tree.nameOf("r")).toBe("Work as r");
  const bars = nestedBars(trace, tree);
  const shown = [...bars.own, ...bars.bars].filter(({ lane }) => lane === "subtasks");
  expect(shown.map(({ title }) => title).toSorted()).toEqual(rows.map(subtaskLabel).toSorted());
});
