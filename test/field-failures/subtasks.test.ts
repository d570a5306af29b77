import path from "node:path";
import { expect, test } from "vitest";
import { subtaskCancelled } from "../../machines/conversation/notices.ts";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import {
  askOf,
  atCommit,
  Crash,
  completes,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../support/subtasks.ts";

/** Half a sentence, and silence. */
const STALLS = '{ stallMs: 600000, after: 1 }, { text: "I go on for long", chunk: 4 }';

function resume({ asks: [ask] }: Task): void {
  if (ask?.kind !== "resume") throw new Error(`The task rests on ${ask?.kind}.`);
  ask.approve();
}

test("field failure 14: two subtasks at work have a journal each, and each task continues after a crash (L11, L16)", async () => {
  const notes = new Notes();
  const script = scriptByMode(
    { mode: "code", to: "finish", turn: completes("All done.") },
    { mode: "code", after: "new_task", turn: subtask("two") },
    { mode: "code", turn: subtask("one") },
    { mode: "one", after: "note", turn: QUESTION },
    { mode: "one", to: "later", turn: NOTE },
    { mode: "one", turn: QUESTION },
    { mode: "two", after: "ask_followup_question", turn: completes("Two done.") },
    { mode: "two", after: "note", turn: QUESTION },
    { mode: "two", turn: NOTE },
  );
  await using rig = await openSubtaskRig(script, { tools: [notes.tool] });
  const { host, task } = rig;
  const [one, two] = [`${task.id}.1`, `${task.id}.2`];
  void task.run("Do it");
  await askOf(host, one, "question");
  const detached = await openedTask(host, one);
  detached.cancel();
  await askOf(host, two, "question");
  task.queue("finish");
  await task.flushed();
  void detached.run("later");
  await askOf(host, one, "question");
  expect([task, detached, host.focus(task.id)].map((each) => each?.state.state)).toEqual([
    "running",
    "waiting_for_input",
    "waiting_for_input",
  ]);

  await using copy = await new Crash(rig).open({ tools: [notes.tool] });
  const end = copy.task.settled();
  resume(copy.task);
  expect((await end).result).toBe("All done.");
  expect(subtaskResults(copy.task)).toEqual([subtaskCancelled(one), "Two done."]);
  expect(notes.count).toBe(2);
});

test("field failure 18: a subtask that has not ended is continued once by each resume of its parent, and by nothing else (L12, L16)", async () => {
  const notes = new Notes();
  const script = scriptByMode(
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: subtask("one") },
    { mode: "one", after: "note", turn: STALLS },
    { mode: "one", to: "is now resumed", turn: STALLS },
    { mode: "one", turn: NOTE },
  );
  await using rig = await openSubtaskRig(script, { tools: [notes.tool] });
  const id = `${rig.task.id}.1`;
  const streams = (host: Host) => atCommit(host, id, ({ commit }) => commit.cause?.type === "llm.text.delta");
  void rig.task.run("Do it");
  await streams(rig.host);
  let crash = new Crash(rig);
  for (const restart of [1, 2, 3]) {
    const { base } = crash;
    await using copy = await crash.open({ tools: [notes.tool] });
    const { host, task } = copy;
    expect([...host.tasks.keys()]).toEqual([task.id]);
    expect(rig.sent()).toHaveLength(2 + restart);
    const streaming = streams(host);
    resume(task);
    await streaming;
    expect([...host.tasks.keys()]).toEqual([task.id, id]);
    expect(rig.sent()).toHaveLength(3 + restart);
    crash = new Crash({ ...rig, dataDir: path.join(base, "data"), dir: path.join(base, "workspace") });
  }
  await using copy = await crash.open({ tools: [notes.tool] });
  const end = copy.task.settled();
  const streaming = streams(copy.host);
  resume(copy.task);
  await streaming;
  copy.host.tasks.get(id)?.cancel();
  expect((await end).result).toBe("All done.");
  expect(subtaskResults(copy.task)).toEqual([subtaskCancelled(id)]);
  expect(notes.count).toBe(1);
});
