import { createElement } from "react";
import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { GrowingSubtasks } from "../../../visualize/page/model/growing-subtasks.ts";
import { outlineRows } from "../../../visualize/page/model/outline.ts";
import { type SubtaskRow, subtaskRows } from "../../../visualize/page/model/subtask-rows.ts";
import { subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import { messageTitle } from "../../../visualize/page/panes/messages/message-title.ts";
import { OutlineCells } from "../../../visualize/page/panes/outline/outline-cells.tsx";
import { StatePane } from "../../../visualize/page/panes/state/state-pane.tsx";
import { SubtaskList } from "../../../visualize/page/panes/subtasks/subtask-list.tsx";
import { NeedsYouNotice } from "../../../visualize/page/shell/needs-you-notice.tsx";
import { Outcome } from "../../../visualize/page/shell/outcome.tsx";
import { TaskPath } from "../../../visualize/page/shell/task-path.tsx";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf } from "./markup.ts";
import { appended, commit, snapshotOf, traceOf } from "./trace.ts";

const infoOf = (id: string, text: string): TaskInfo => ({
  ...{
    id,
    title: text,
    state: "waiting_for_input",
    path: "waiting_for_input.answer",
    isOpen: true,
    parentId: "t",
  },
  ...{
    cost: 0.5,
    createdAt: 1,
    updatedAt: 2,
    asks: [{ askId: 2, kind: "followup", text, accepts: ["text"] }],
  },
});

it.each(HOSTILE.map((text) => [text]))(
  "the line and the link of a subtask named %j run and hide nothing",
  (text) => {
    const info = infoOf(`t.${text}`, text);
    const status = { name: "waiting", group: "needs_you", word: "waiting", reason: text } as const;
    const known = { info, status, tokens: 1_200, elapsed: 61_000 };
    const row: SubtaskRow = { taskId: info.id, number: text, title: text, known };
    const html = htmlOf(createElement(SubtaskList, { rows: [row], onTask: () => {} }));
    assertHarmless(html);
    expect(readOf(html)).toMatch(/^waiting.*1 min 1200 tokens \$0\.50$/s);
    const subtasks = [info, infoOf("t.2", text)];
    assertHarmless(htmlOf(createElement(NeedsYouNotice, { task: undefined, subtasks, onOpen: () => {} })));
    assertHarmless(
      htmlOf(createElement(NeedsYouNotice, { task: undefined, subtasks: [info], onOpen: () => {} })),
    );
  },
);

it("the line of a subtask has the end of its files, by whom, and its model", () => {
  const status = { name: "completed", group: "done", word: "completed", reason: "" } as const;
  const textOf = (more: Partial<TaskInfo>): string => {
    const known = { info: { ...infoOf("t.1", "Part"), ...more }, status, tokens: 0, elapsed: 0 };
    const rows: readonly SubtaskRow[] = [{ taskId: "t.1", number: "1", title: "Part", known }];
    return readOf(htmlOf(createElement(SubtaskList, { rows, onTask: () => {} })));
  };
  expect(textOf({ files: { state: "merged", by: null, at: 1 }, model: "mock/m1" })).toContain(
    "merged by a person · mock/m1",
  );
  expect(textOf({ files: { state: "declined", by: "t", at: 1 } })).toContain("declined by its parent");
  expect(textOf({ files: { state: "unmerged" } })).toContain("not merged yet");
  expect(textOf({})).not.toMatch(/merged|declined/);
});

it("the status of a subtask on its own page has the end of its files", () => {
  const info: TaskInfo = { ...infoOf("t.1", "Part"), files: { state: "declined", by: null, at: 1 } };
  expect(readOf(htmlOf(createElement(Outcome, { info, isAtEnd: true })))).toContain("declined by a person");
});

it("the title of a subtask's result names the subtask that the call started, where the trace has the call", () => {
  const calls = ["a", "b"].map((callId, nth) => ({
    ...{ callId, toolUseId: "t", name: "new_task", ask: "tool" as const, phase: "delegated" as const },
    ...{ input: {}, childId: `t.${nth + 1}` },
  }));
  const prompt = { ts: 1, type: "say", say: "text", text: "Do it" } as const;
  const trace = snapshotOf(traceOf([commit(1, { log: [appended(prompt)] }), commit(2, { calls })]));
  const titleOf = (callId: string) => {
    const message = { ts: 9, type: "say", say: "subtask_result", callId, text: "Done." } as const;
    return messageTitle({ message, position: 1, status: undefined, at: 2 }, trace);
  };
  expect(["b", "a", "c"].map(titleOf)).toEqual(["Result of subtask 2", "Result of subtask 1", undefined]);
});

it("the header names at most twelve subtasks that need a person, and the number of the others", () => {
  const of = (count: number): string => {
    const subtasks = Array.from({ length: count }, (_, nth) => infoOf(`t.${nth + 1}`, `Part ${nth + 1}`));
    const task = infoOf("t", "All");
    return readOf(htmlOf(createElement(NeedsYouNotice, { task, subtasks, onOpen: () => {} })));
  };
  expect(of(60)).toMatch(/^60 subtasks need you: 1 Part 1.*12 Part 12and 48 more$/);
  expect(of(60)).not.toContain("13 Part");
  expect(of(12)).toMatch(/12 Part 12$/);
});

describe("a task with a subtask in the background", () => {
  const fact = { callId: "a", childId: "t.1", name: "new_task", input: {} };
  const identity = { callId: "a", toolUseId: "t", name: "new_task", ask: "tool" } as const;
  const prompt = { ts: 1, type: "say", say: "text", text: "Do it" } as const;
  const descriptor = JSON.stringify({ tool: "newTask", mode: "part", content: "Do a part" });
  const asked: ClineMessage = {
    ...{ ts: 2, type: "ask", ask: "tool", callId: "a", text: descriptor, closing: "answered" },
  };
  const records = [
    commit(1, { log: [appended(prompt), appended(asked)] }),
    commit(2, {
      calls: [
        { ...identity, phase: "delegated", input: {}, childId: "t.1" },
        { ...identity, phase: "settled", outcome: { kind: "done", content: [] } },
      ],
      effects: [{ type: "effect.started", effect: "subtask", id: "subtask:a" }],
      facts: {
        backgroundSubtasks: [fact],
        background: [{ callId: "b", command: "npm run dev" }],
      },
    }),
    commit(3, {
      cause: { type: "subtask.ended", at: 1_003, callId: "a" },
      effects: [{ type: "effect.stopped", effect: "subtask", id: "subtask:a" }],
      facts: { backgroundSubtasks: [{ ...fact, end: { kind: "failed", message: "It gave up." } }] },
    }),
    commit(4, { facts: { backgroundSubtasks: [] } }),
  ];
  const trace = snapshotOf(traceOf(records));
  const tracer = new Tracer("t.1");
  const subtasks = new GrowingSubtasks();
  subtasks.append([
    tracer.add({ seq: 0, kind: "header", version: 3, taskId: "t.1", createdAt: 1_002 }),
    tracer.add(commit(1, { log: [appended({ ...prompt, text: "Do a part" })] })),
    tracer.add(commit(2, { log: [appended({ ts: 2, type: "ask", ask: "followup", text: "Which?" })] })),
  ]);
  const tree = subtaskTree(trace, subtasks.snapshot());
  const listAt = (at: number, isPast: boolean): string => {
    const rows = subtaskRows(trace, tree, { at, isPast, until: 9_000 }, []);
    return readOf(htmlOf(createElement(SubtaskList, { rows, onTask: () => {} })));
  };
  const working = traceOf(records.slice(0, 2));
  const outlineOf = (shown: TraceSnapshot): string => {
    const own = subtaskTree(shown, subtasks.snapshot());
    const rows = outlineRows(shown, own, { toggled: new Set(), hasOnlyProblems: false });
    const ofTask = rows.filter(({ kind }) => kind === "task");
    return ofTask
      .map((row) => readOf(htmlOf(createElement(OutlineCells, { row, now: 9_000, tasks: [] }))))
      .join("\n");
  };

  it("marks it in the list of subtasks and in the outline until it ends", () => {
    expect(listAt(2, true)).toContain("1 background Do a part");
    expect(listAt(4, false)).toMatch(/1 +Do a part/);
    expect(outlineOf(snapshotOf(working))).toMatch(/Subtask 1: .*background.*waiting/);
    expect(outlineOf(trace)).toMatch(/Subtask 1: (?!.*background).*waiting/);
  });

  it("marks it in the notice of the header and in the path, by the list of tasks", () => {
    const beside: TaskInfo = { ...infoOf("t.1", "Do a part"), isBeside: true };
    const noticeOf = (subtask: TaskInfo): string =>
      readOf(
        htmlOf(
          createElement(NeedsYouNotice, {
            ...{ task: infoOf("t", "All"), subtasks: [subtask], onOpen: () => {} },
          }),
        ),
      );
    expect(noticeOf(beside)).toMatch(/^A subtask needs you: 1 \(background\) Do a part, /);
    expect(noticeOf(infoOf("t.1", "Do a part"))).toMatch(/^A subtask needs you: 1 Do a part, /);
    const pathOf = (title: string, isBeside: boolean, parents: readonly TaskInfo[]): string =>
      readOf(htmlOf(createElement(TaskPath, { title, isBeside, parents, onOpen: () => {} })));
    const root = infoOf("t", "All");
    expect(pathOf("Do a part", true, [root])).toBe("All ▸ (background) Do a part");
    expect(pathOf("A step", false, [root, beside])).toBe("All ▸ 1 (background) Do a part ▸ A step");
  });

  const stateAt = (at: number, isLoaded: boolean): string => {
    const loaded = isLoaded ? { tree, tasks: [], isPast: false } : undefined;
    return readOf(
      htmlOf(createElement(StatePane, { trace, at, until: 9_000, onGo: () => {}, subtasks: loaded })),
    );
  };

  it("lists it under its commands, with the status of its own trace or, without it, the facts", () => {
    expect(stateAt(2, true)).toMatch(
      /commands in the background\s*npm run dev\s*subtasks in the background\s*1 Do a part waiting/,
    );
    expect(stateAt(2, true)).toContain("new_task subtask 1 in the background");
    expect(stateAt(2, false)).toMatch(/subtasks in the background\s*1 running/);
    expect(stateAt(3, false)).toMatch(/subtasks in the background\s*1 failed/);
    expect(stateAt(4, true)).not.toContain("subtasks in the background");
  });

  it("has no call that is done in its transcript while the subtask works", () => {
    const titleAt = (at: number) =>
      messageTitle({ message: asked, position: 1, status: { text: "", tone: "ask" }, at }, trace);
    expect(titleAt(2)).toMatch(/^In the background: /);
    expect(titleAt(3)).toMatch(/^Done: /);
  });
});
