import { expect, test } from "vitest";
import { subtaskFinished } from "../../../machines/conversation/notices.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { resultsOf } from "../../support/host.ts";
import {
  Crash,
  completes,
  NOTE,
  Notes,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const child = (mode: string) => [
  { mode, after: "ask_followup_question", turn: completes(`Done in ${mode}.`) },
  { mode, after: "note", turn: QUESTION },
  { mode, turn: NOTE },
];
const script = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: `[${subtask("one")}, ${subtask("two")}]` },
  ...child("one"),
  ...child("two"),
);

const answerAll = (task: Task): void => {
  task.asks$.subscribe((ask) => {
    if (ask.kind === "question") ask.answer("left");
  });
};

test("L16, JOIN, L12: a process that ends after any record of a parent and its two subtasks loses and repeats nothing", async () => {
  const before = new Notes();
  await using rig = await openSubtaskRig(script, { tools: [before.tool] });
  const crashes: { readonly crash: Crash; readonly notes: number; readonly after: string }[] = [];
  const crashAtEach = (task: Task): void => {
    task.events$.subscribe(({ commit: { after } }) =>
      crashes.push({
        crash: new Crash(rig),
        notes: before.count,
        after: `${task.id.slice(rig.task.id.length)} ${after}`,
      }),
    );
  };
  crashAtEach(rig.task);
  rig.host.opened$.subscribe((opened) => {
    crashAtEach(opened);
    answerAll(opened);
  });
  await rig.task.run("Do it");
  const began = crashes.findIndex(({ after }) => after === " running.delegated");
  const ended = crashes.findLastIndex(({ after }) => after === " streaming.preparing");
  expect(ended - began).toBeGreaterThan(20);
  const states = new Set(crashes.slice(began, ended).map(({ after }) => after));
  expect([...states]).toEqual(
    expect.arrayContaining([".1 waiting_for_input.answer", ".2 waiting_for_input.answer"]),
  );
  for (const { crash, notes } of crashes.slice(began, ended)) {
    const after = new Notes();
    await using copy = await crash.open({ tools: [after.tool] });
    const { host, task } = copy;
    host.opened$.subscribe(answerAll);
    const [ask] = task.asks;
    const end = task.settled();
    if (ask?.kind === "resume") ask.approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task).toSorted()).toEqual(["Done in one.", "Done in two."]);
    expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([
      subtaskFinished(`${task.id}.1`, "Done in one."),
      subtaskFinished(`${task.id}.2`, "Done in two."),
    ]);
    expect(notes + after.count).toBeLessThanOrEqual(2);
    expect([...host.tasks.keys()]).toEqual([task.id]);
  }
});
