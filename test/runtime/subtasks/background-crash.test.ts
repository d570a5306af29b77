import { expect, test } from "vitest";
import { subtaskFinished } from "../../../machines/conversation/notices.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { inBackground, openBackgroundRig, question, timesSent } from "../../support/background-script.ts";
import { Crash, completes, NOTE, Notes, subtaskResults } from "../../support/subtasks.ts";

const steps = [
  { mode: "code", to: "Done in one", turn: completes("All done.") },
  { mode: "code", after: "note", turn: completes("Too early.") },
  { mode: "code", after: "new_task", turn: NOTE },
  { mode: "code", turn: inBackground("one") },
  { mode: "one", after: "ask_followup_question", turn: completes("Done in one.") },
  { mode: "one", after: "note", turn: question("Which?") },
  { mode: "one", turn: NOTE },
];
const OPTIONS = { backgroundSubtasks: "wait", completion: "tool" } as const;

const answerAll = (task: Task): void => {
  task.asks$.subscribe((ask) => {
    if (ask.kind === "question") ask.answer("left");
  });
};

test("L16, JOIN, L12: a process that ends after any record of a parent and its subtask in the background loses and repeats nothing", async () => {
  const before = new Notes();
  await using rig = await openBackgroundRig(steps, { tools: [before.tool] });
  const crashes: { readonly crash: Crash; readonly notes: number; readonly after: string }[] = [];
  const crashAtEach = (task: Task): void => {
    task.events$.subscribe(({ commit: { after } }) =>
      crashes.push({ crash: new Crash(rig), notes: before.count, after: `${task.id} ${after}` }),
    );
  };
  crashAtEach(rig.task);
  rig.host.opened$.subscribe((opened) => {
    crashAtEach(opened);
    answerAll(opened);
  });
  await rig.task.run("Do it");
  const { id } = rig.task;
  const began = crashes.findIndex(({ after }) => after === `${id} running.calling`);
  expect(crashes.length - began).toBeGreaterThan(15);
  for (const { crash, notes, after } of crashes) {
    const own = new Notes();
    await using copy = await crash.open({ ...OPTIONS, tools: [own.tool] });
    const { host, task } = copy;
    host.opened$.subscribe(answerAll);
    const [ask] = task.asks;
    if (ask?.kind === "resume") {
      const end = task.settled();
      ask.approve();
      expect((await end).result, after).toBe("All done.");
    }
    expect(subtaskResults(task), after).toEqual(["Done in one."]);
    expect(notes + own.count, after).toBeLessThanOrEqual(2);
    expect([...host.tasks.keys()], after).toEqual([task.id]);
  }
  expect(timesSent(rig, subtaskFinished(`${id}.1`, "Done in one."))).toBe(1);
});
