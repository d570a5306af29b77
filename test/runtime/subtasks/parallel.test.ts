import { describe, expect, test } from "vitest";
import { subtaskCancelled, subtaskFinished } from "../../../machines/conversation/notices.ts";
import { resultsOf } from "../../support/host.ts";
import {
  askOf,
  completes,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtaskResults,
} from "../../support/subtasks.ts";

const start = (mode: string): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: Work in ${mode}. } }`;
const AFTERWARDS = { mode: "code", after: "new_task", turn: completes("All done.") };
const twoChildren = [AFTERWARDS, { mode: "code", turn: `[${start("one")}, ${start("two")}]` }];
const asking = (mode: string) => [
  { mode, after: "ask_followup_question", turn: completes(`Done in ${mode}.`) },
  { mode, turn: QUESTION },
];

describe("L16: the subtasks of a response", () => {
  test("work at the same time, and each gives its parent its result once, in the order of the calls", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...twoChildren, ...asking("one"), ...asking("two")));
    const { host, task } = rig;
    const end = task.run("Do it");
    const [one, two] = await Promise.all([
      askOf(host, `${task.id}.1`, "question"),
      askOf(host, `${task.id}.2`, "question"),
    ]);
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    expect(task.treeAsks.map(({ path }) => path.at(-1)).toSorted()).toEqual([`${task.id}.1`, `${task.id}.2`]);
    expect(host.stack(`${task.id}.2`).map(({ id }) => id)).toEqual([task.id, `${task.id}.2`]);
    expect(host.focus(task.id)?.id).toBe(`${task.id}.1`);
    two.answer("left");
    await expect.poll(() => host.tasks.has(`${task.id}.2`)).toBe(false);
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    expect(host.focus(task.id)?.id).toBe(`${task.id}.1`);
    one.answer("left");
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["Done in two.", "Done in one."]);
    expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([
      subtaskFinished(`${task.id}.1`, "Done in one."),
      subtaskFinished(`${task.id}.2`, "Done in two."),
    ]);
  });

  test("wait for each other beyond the limit parallelSubtasks", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...twoChildren, ...asking("one"), { mode: "two", turn: completes("Done in two.") }),
      { limits: { parallelSubtasks: 1 } },
    );
    const { host, task } = rig;
    const end = task.run("Do it");
    const one = await askOf(host, `${task.id}.1`, "question");
    expect(task.snapshot.context.turn.calls.map(({ phase }) => phase)).toEqual(["delegated", "approved"]);
    expect(host.tasks.has(`${task.id}.2`)).toBe(false);
    one.answer("left");
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["Done in one.", "Done in two."]);
  });

  test("are all cancelled with their parent, in the same step (L10)", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...twoChildren, ...asking("one"), ...asking("two")));
    const { host, task } = rig;
    const end = task.run("Do it");
    const opened = [1, 2].map((number) => openedTask(host, `${task.id}.${number}`));
    await Promise.all([1, 2].map((number) => askOf(host, `${task.id}.${number}`, "question")));
    const children = await Promise.all(opened);
    task.cancel();
    await end;
    for (const child of children) await child.flushed();
    expect(children.map(({ snapshot }) => snapshot.value)).toEqual(["resumable", "resumable"]);
    expect(
      task.snapshot.context.turn.calls.flatMap((call) => ("outcome" in call ? call.outcome.content : [])),
    ).toEqual([1, 2].map((number) => ({ type: "text", text: subtaskCancelled(`${task.id}.${number}`) })));
  });

  test("are paused with their parent, which rests once all of them do, and are continued by its resume (PAUSE)", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...twoChildren, ...asking("one"), ...asking("two")));
    const { host, task } = rig;
    const end = task.run("Do it");
    const [one, two] = await Promise.all([
      askOf(host, `${task.id}.1`, "question"),
      askOf(host, `${task.id}.2`, "question"),
    ]);
    expect(task.pause().ok).toBe(true);
    one.answer("left");
    await expect
      .poll(() => task.snapshot.context.turn.calls.map((call) => ("rests" in call ? call.rests : undefined)))
      .toEqual(["paused", undefined]);
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    two.answer("left");
    await end;
    expect(task.snapshot).toMatchObject({ value: "resumable", context: { pause: "resting" } });
    const settled = task.settled();
    (await rig.ask("resume")).approve();
    expect((await settled).result).toBe("All done.");
    expect(subtaskResults(task).toSorted()).toEqual(["Done in one.", "Done in two."]);
  });

  test("start together once a person has decided about all of them, and other calls behind them are skipped", async () => {
    const notes = new Notes();
    await using rig = await openSubtaskRig(
      scriptByMode(
        AFTERWARDS,
        { mode: "code", turn: `[${start("one")}, ${NOTE}, ${start("two")}]` },
        { mode: "one", turn: completes("Done in one.") },
        { mode: "two", turn: completes("Done in two.") },
      ),
      {
        tools: [notes.tool],
        policy: ({ tool }) => ({ kind: tool.effect === "delegates" ? "ask" : "allow", rule: "r" }),
      },
    );
    const { host, task } = rig;
    const opened: string[] = [];
    host.opened$.subscribe(({ id }) => opened.push(id));
    const end = task.run("Do it");
    const first = await rig.ask("tool");
    first.approve();
    const second = await rig.ask("tool");
    expect([second.id === first.id, opened]).toEqual([false, []]);
    second.approve();
    expect((await end).result).toBe("All done.");
    expect(opened.toSorted()).toEqual([`${task.id}.1`, `${task.id}.2`]);
    expect(notes.count).toBe(0);
  });
});
