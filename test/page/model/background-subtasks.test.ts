import { describe, expect, it } from "vitest";
import { awaitedSubtasks } from "../../../visualize/page/model/awaited-subtasks.ts";
import { worksInBackground } from "../../../visualize/page/model/background-subtasks.ts";
import { GrowingSubtasks } from "../../../visualize/page/model/growing-subtasks.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { outlineRows, rowDuration, rowMarks } from "../../../visualize/page/model/outline.ts";
import { subtaskLabel } from "../../../visualize/page/model/subtask-name.ts";
import { subtaskRows } from "../../../visualize/page/model/subtask-rows.ts";
import { subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import { causesOf } from "../../../visualize/page/model/tree-causes.ts";
import { waitingStarts } from "../../../visualize/page/model/waiting-starts.ts";
import { barText } from "../../../visualize/page/timeline/bar-text.ts";
import { nestedBars } from "../../../visualize/page/timeline/nested-bars.ts";
import { asks, at, ended, started, task } from "../subtask-traces.ts";

describe("a subtask in the background", () => {
  const fact = { callId: "a", childId: "r.1", name: "new_task", input: {} };
  const inBackground = started("a", "r.1");
  /** Subtask 1 works in the background from event 3 on, fails with event 5, and the request of event 6 has its end. */
  const records = [
    at(1_800, { cause: { type: "llm.tool.start", at: 1_800, callId: "a", name: "new_task" } }),
    at(2_000, {
      ...{ ...inBackground, calls: [inBackground, ended("a")].flatMap(({ calls = [] }) => calls) },
      ...{ facts: { backgroundSubtasks: [fact] }, after: "streaming.receiving" },
    }),
    at(5_000, { after: "running.delegated" }),
    at(6_000, {
      ...{ ...ended("a"), calls: [], cause: { type: "subtask.ended", at: 6_000, callId: "a" } },
      facts: { backgroundSubtasks: [{ ...fact, end: { kind: "failed", message: "It gave up." } }] },
    }),
    at(7_000, { facts: { backgroundSubtasks: [] }, after: "streaming.receiving" }),
  ];
  const parent = task("r", 1_000, ...records);
  const child = task("r.1", 2_000, at(2_500, asks));
  const until = (events: number) => {
    const trace = new GrowingTrace("r", parent.slice(0, events)).snapshot();
    const growing = new GrowingSubtasks();
    growing.append(child);
    return { trace, tree: subtaskTree(trace, growing.snapshot()) };
  };
  const working = until(5);
  const done = until(7);

  it("has the state of its own trace, although its call has a result", () => {
    const { trace, tree } = working;
    const rows = subtaskRows(trace, tree, { at: 4, isPast: false, until: 5_000 }, []);
    expect(rows.map(({ number, known }) => [number, known?.status.word, known?.elapsed])).toEqual([
      ["1", "waiting", 3_000],
    ]);
    const [bar] = nestedBars(trace, tree).own.filter(({ lane }) => lane === "subtasks");
    expect([bar?.from, bar?.to, bar && barText(bar, trace)]).toEqual([
      ...[2_000, undefined, "subtask 1 (background) Work as r.1 (waiting)"],
    ]);
    expect(waitingStarts(trace.index, 4)).toEqual([]);
  });

  it("is marked until it ends, also at an earlier event", () => {
    const marks = ({ trace, tree }: typeof working, event: number, isPast: boolean) =>
      subtaskRows(trace, tree, { at: event, isPast, until: 9_000 }, []).map(({ isBeside }) => isBeside);
    expect([marks(working, 4, false), marks(done, 6, false), marks(done, 4, true)]).toEqual([
      ...[[true], [false], [true]],
    ]);
  });

  it("is marked in the names of its bar and its row until it ends, before a title of any length", () => {
    const namesOf = ({ trace, tree }: typeof working) => {
      const { own, names } = nestedBars(trace, tree);
      const titles = own.flatMap(({ lane, title }) => (lane === "subtasks" ? [title] : []));
      return [...titles, ...[...names.values()].map(({ title }) => title)];
    };
    expect([namesOf(working), namesOf(done)]).toEqual([
      ["1 (background) Work as r.1", "1 (background) Work as r.1"],
      ["1 Work as r.1", "1 Work as r.1"],
    ]);
    expect(subtaskLabel({ number: "2", title: "", isBeside: true })).toBe("2 (background)");
  });

  it("is awaited by a task in `running.delegated` only if no call of another subtask is open", () => {
    expect(awaitedSubtasks(working.trace, working.tree, 4).map(({ taskId }) => taskId)).toEqual(["r.1"]);
    expect(awaitedSubtasks(done.trace, done.tree, 5)).toEqual([]);
    const other = at(5_000, started("b", "r.2"));
    const both = new GrowingTrace("r", task("r", 1_000, ...records.slice(0, 2), other)).snapshot();
    expect(awaitedSubtasks(both, subtaskTree(both), 4).map(({ taskId }) => taskId)).toEqual(["r.2"]);
  });

  it("works in the background until its bar ends, in the outline as well", () => {
    const { trace, tree } = working;
    expect([2, 3, 4].map((event) => worksInBackground(trace.index, "a", event))).toEqual([false, true, true]);
    expect([5, 6].map((event) => worksInBackground(done.trace.index, "a", event))).toEqual([false, false]);
    const callRow = (shown: typeof working) => {
      const toggled = new Set(["call a"]);
      const rows = outlineRows(shown.trace, shown.tree, { toggled, hasOnlyProblems: false });
      return rows.find(({ kind }) => kind === "call")!;
    };
    expect(rowMarks(callRow({ trace, tree })).map(({ word }) => word)).toEqual(["running"]);
    expect(rowDuration(callRow(done), 9_000)).toBe(4_000);
  });

  it("that fails is a problem of its parent, with the subtask as the cause", () => {
    const problem = done.trace.index.problems.list.find(({ trouble }) => trouble.kind === "subtask");
    expect([problem?.seq, problem?.callId, problem?.trouble]).toEqual([
      ...[5, "a", { kind: "subtask", message: "It gave up.", child: "r.1" }],
    ]);
    const of = { problem: problem!, trace: done.trace, subtask: undefined, time: 6_000 };
    expect(causesOf(of, done.tree)[0]).toEqual({ text: "subtask 1 Work as r.1", task: "r.1" });
  });
});
