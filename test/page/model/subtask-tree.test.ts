import { beforeAll, describe, expect, it } from "vitest";
import { GrowingSubtasks } from "../../../visualize/page/model/growing-subtasks.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { outlineRows, rowAt, rowMarks, rowText } from "../../../visualize/page/model/outline.ts";
import { problemKind, problemText } from "../../../visualize/page/model/problem-text.ts";
import { type SubtaskTree, subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import { causesOf } from "../../../visualize/page/model/tree-causes.ts";
import { treeProblems } from "../../../visualize/page/model/tree-problems.ts";
import { nestedBars } from "../../../visualize/page/timeline/nested-bars.ts";
import { rowsOf } from "../../../visualize/page/timeline/rows.ts";
import { CHILD_ROWS_MAX } from "../../../visualize/page/timeline/timeline-index.ts";
import type { TraceEvent } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import { CHILD, PARENT } from "../family.ts";
import { type NestedTraces, recordNested } from "../nested.ts";
import { commit } from "../panes/trace.ts";

/** The tree of the first trace, with the others as its loaded subtasks. */
function treeOf([own = [], ...inner]: readonly (readonly TraceEvent[])[]): Shown {
  const trace = new GrowingTrace(own[0]?.taskId ?? "", own).snapshot();
  const growing = new GrowingSubtasks();
  for (const events of inner) growing.append(events);
  return { trace, tree: subtaskTree(trace, growing.snapshot()) };
}

interface Shown {
  readonly trace: TraceSnapshot;
  readonly tree: SubtaskTree;
}

/** A task whose only turn starts these subtasks. */
function taskOf(id: string, ...children: readonly string[]): readonly TraceEvent[] {
  const tracer = new Tracer(id);
  const calls = children.map((childId, nth) => ({
    ...{ callId: `c${nth}`, toolUseId: "t", name: "new_task", ask: "tool" as const },
    ...{ phase: "delegated" as const, input: {}, childId },
  }));
  const prompt = { ts: 1, type: "say", say: "text", text: `I am ${id}` } as const;
  return [
    tracer.add({ seq: 0, kind: "header", version: 3, taskId: id, createdAt: 1_000 }),
    tracer.add(commit(1, { log: [{ type: "message.appended", message: prompt }] })),
    tracer.add(commit(2, { calls })),
  ];
}

let nested: NestedTraces;
let shown: Shown;
/** A text without the random part of the ids: the root is R. */
const short = (text: string): string => text.replaceAll(nested.ids[0], "R");
beforeAll(async () => {
  nested = await recordNested();
  shown = treeOf(nested.traces);
});

describe("the outline of a task with subtasks of subtasks", () => {
  const lines = (options: { readonly toggled?: readonly string[]; readonly hasOnlyProblems?: boolean }) => {
    const { trace, tree } = shown;
    const toggled = new Set(options.toggled);
    return outlineRows(trace, tree, { hasOnlyProblems: false, ...options, toggled }).map((row) => {
      const marks = rowMarks(row).map(({ word }) => ` [${word}]`);
      const text = row.kind === "task" ? `subtask ${row.call?.child}` : rowText(row);
      return short(`${" ".repeat(row.level - 1)}${text}${marks.join("")}`);
    });
  };

  it("folds a subtask at first, with the number of the problems below it", () => {
    expect(lines({})).toEqual([
      "Do it",
      "1 call",
      " Start a subtask in mode one [interrupted]",
      "  subtask R.1 [3 problems]",
      "1 call",
      " Result",
    ]);
  });

  it("has the turns and calls of an unfolded subtask below it, and the turns of its own subtask below them", () => {
    const [, child, grandchild] = nested.ids;
    expect(lines({ toggled: [`task ${child}`, `task ${child}/task ${grandchild}`] })).toEqual([
      ...["Do it", "1 call", " Start a subtask in mode one [interrupted]", "  subtask R.1"],
      ...[
        "   Work in one.",
        "   1 call",
        "    Start a subtask in mode two [interrupted]",
        "     subtask R.1.1",
      ],
      ...[
        "      Work in two.",
        "      1 call",
        "       exit 3 [exit code]",
        "      request [request failed]",
      ],
      ...["   request [request failed]", "1 call", " Result"],
    ]);
  });

  it("unfolds the subtasks that have problems, at any depth, if a person wants only problems", () => {
    expect(lines({ hasOnlyProblems: true })).toEqual([
      ...["1 call", " Start a subtask in mode one [interrupted]", "  subtask R.1"],
      ...["   1 call", "    Start a subtask in mode two [interrupted]", "     subtask R.1.1"],
      ...["      1 call", "       exit 3 [exit code]", "      request [request failed]"],
      "   request [request failed]",
    ]);
  });

  it("marks the row of the shown task for each of its events, also with rows of subtasks between them", () => {
    const { trace, tree } = shown;
    const toggled = new Set([`task ${nested.ids[1]}`]);
    const rows = outlineRows(trace, tree, { toggled, hasOnlyProblems: false });
    const found = Array.from({ length: trace.length }, (_, at) => rows[rowAt(rows, trace, at)]);
    for (const row of found) expect(row === undefined || row.trace === trace).toBe(true);
    expect(found.at(-1)).toBe(rows.at(-1));
  });
});

describe("the problems of a task with subtasks of subtasks", () => {
  it("include the problems of its subtasks, at any depth, in the order of time", () => {
    const { trace, tree } = shown;
    const problems = treeProblems(trace, tree);
    expect(problems.map((each) => short(`${each.trace.taskId}: ${problemKind(each.problem)}`))).toEqual([
      ...["R.1.1: exit code", "R.1.1: request failed", "R.1: request failed"],
    ]);
    expect(problems.map(({ time }) => time)).toEqual(problems.map(({ time }) => time).toSorted());
  });

  it("lead from a problem of a grandchild over each call that led to it to the request of the shown task", () => {
    const { trace, tree } = shown;
    const [first] = treeProblems(trace, tree);
    const causes = first === undefined ? [] : causesOf(first, tree);
    const rule = "allowed by the rule allow-everything";
    const places = causes.map(({ text, seq, task, record }) => [
      short(text),
      task === undefined ? `event ${seq}` : `${short(task)} ${record}`,
    ]);
    expect(places).toEqual([
      ...[
        ["exit 3", "R.1.1 4"],
        [rule, "R.1.1 7"],
        ["request 1", "R.1.1 2"],
      ],
      ...[
        ["subtask of 1 Work in one.", "R.1 4"],
        ["Start a subtask in mode two", "R.1 4"],
        [rule, "R.1 7"],
      ],
      ["request 1", "R.1 2"],
      ...[
        ["subtask of Do it", "event 4"],
        ["Start a subtask in mode one", "event 4"],
        [rule, "event 7"],
      ],
      ["request 1", "event 2"],
    ]);
  });

  it("lead from a failed subtask down to the problem in it that came last, and from there into its own subtask", () => {
    // The subtask fails as its parent did: because its own subtask failed.
    const [header, ...rest] = PARENT;
    if (header?.record.kind !== "header") throw new Error("The parent has no header.");
    const text = JSON.stringify(rest)
      .replaceAll('"p.1"', '"p.1.1"')
      .replaceAll('"taskId":"p"', '"taskId":"p.1"');
    const middle: readonly TraceEvent[] = [
      { ...header, taskId: "p.1", record: { ...header.record, taskId: "p.1" } },
      ...JSON.parse(text),
    ];
    const last = CHILD.map((event) => ({ ...event, taskId: "p.1.1" }));
    const { trace, tree } = treeOf([PARENT, middle, last]);
    const own = treeProblems(trace, tree).find(
      ({ subtask, problem }) => subtask === undefined && problem.trouble.kind === "subtask",
    );
    const causes = own === undefined ? [] : causesOf(own, tree);
    expect(causes.slice(0, 4).map(({ text, task, record }) => [text, task, record])).toEqual([
      ["subtask 1 Do it", "p.1", undefined],
      ["subtask failed: Start a subtask in mode part: It failed.", "p.1", 3],
      ["subtask 1.1 Do it", "p.1.1", undefined],
      ["request failed: 401 invalid x-api-key", "p.1.1", 2],
    ]);
    expect(causes.slice(4).map(({ seq }) => seq)).not.toContain(undefined);
    expect(problemText(own?.problem ?? { seq: 0, trouble: { kind: "exit", code: 0 } }, trace.index)).toBe(
      "Start a subtask in mode part: It failed.",
    );
  });
});

describe("the timeline of a task with subtasks of subtasks", () => {
  it("has the bar of a grandchild in a row below its parent's, within its parent's time", () => {
    const { trace, tree } = shown;
    const nested = nestedBars(trace, tree);
    const { bars } = nested;
    const [bar] = bars;
    const parent = trace.index.timeline.bars.find(({ kind }) => kind === "subtask");
    expect(bars.map(({ subject, row }) => [short(subject), row])).toEqual([["R.1.1", CHILD_ROWS_MAX]]);
    expect(bar!.from).toBeGreaterThanOrEqual(parent!.from);
    expect(bar!.to).toBeLessThanOrEqual(parent!.to!);
    const rows = rowsOf(trace, false, nested).filter(({ lane }) => lane === "subtasks");
    expect(rows.map(({ row, name }) => [row, name])).toEqual([
      [0, "subtask 1"],
      [CHILD_ROWS_MAX, "↳ 1.1"],
    ]);
    expect(rows[1]!.top).toBe(rows[0]!.top + rows[0]!.height);
  });

  it("has it on the axis by event at the event of the shown task in which it ran", () => {
    const { trace, tree } = shown;
    const [bar] = nestedBars(trace, tree).bars;
    const parent = trace.index.timeline.bars.find(({ kind }) => kind === "subtask");
    expect(bar!.seq).toBe(parent!.seq);
    expect(bar!.last).toBe(parent!.seq + 1);
  });
});

describe("the subtasks of damaged journals", () => {
  it("are in the tree once each, also if journals name each other, themselves, the shown task, or one task twice", () => {
    const { trace, tree } = treeOf([
      taskOf("a", "b", "a", "b"),
      taskOf("b", "c", "b"),
      taskOf("c", "a", "b", "d"),
    ]);
    expect(tree.all.map(({ taskId }) => taskId)).toEqual(["b", "c", "d"]);
    const toggled = new Set(["task b", "task b/task c"]);
    const rows = outlineRows(trace, tree, { toggled, hasOnlyProblems: false });
    expect(rows.filter(({ kind }) => kind === "turn").map(rowText)).toEqual(["I am a", "I am b", "I am c"]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it("end where they are damaged, with the reason, and leave the other traces as they are", () => {
    const growing = new GrowingSubtasks();
    const [first, second, third] = taskOf("b", "c");
    growing.append([first!, second!, { ...third!, seq: 5 }, third!]);
    growing.append(taskOf("c"));
    growing.append(taskOf("e").slice(0, 2));
    growing.fail("e", "The journal can't be read.");
    growing.fail("d", "There is no task d.");
    const { traces, failures } = growing.snapshot();
    expect([...failures]).toEqual([
      ["b", "Expected event 2 of this trace, got 5."],
      ["e", "The journal can't be read."],
      ["d", "There is no task d."],
    ]);
    expect([...traces].map(([taskId, { length }]) => [taskId, length])).toEqual([
      ["b", 2],
      ["c", 3],
      ["e", 2],
    ]);
  });

  it("begin anew with the event 0, as after a lost connection", () => {
    const growing = new GrowingSubtasks();
    growing.append(taskOf("b", "c"));
    const before = growing.snapshot();
    growing.append(taskOf("b", "c", "d"));
    const after = growing.snapshot();
    expect(before.traces.get("b")?.length).toBe(3);
    expect(subtaskTree(after.traces.get("b")!, after).all.map(({ taskId }) => taskId)).toEqual(["c", "d"]);
    expect(growing.snapshot()).toBe(after);
  });
});
