import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskStreamEvent } from "../../../runtime/task/task-stream.ts";
import type { TreeAsk } from "../../../runtime/task/tree-asks.ts";
import type { JournalDriver } from "../../../store/index.ts";
import type { Policy } from "../../../tools/index.ts";
import {
  askOf,
  atCommit,
  Crash,
  completes,
  memoryJournals,
  NESTED_SCRIPT,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

/** A root that asks while a subtask that no task waits for is open. */
const detaching = scriptByMode(
  { mode: "code", after: "new_task", turn: QUESTION },
  { mode: "code", turn: subtask("one") },
  { mode: "one", to: "later", turn: QUESTION },
  { mode: "one", turn: QUESTION },
);

const summaryOf = ({ path: ids, ask }: TreeAsk) => [ids.join(" "), ask.kind];

const replyTo = (ask: Ask | undefined) => ask?.kind === "question" && ask.answer("left");

/** Wait for the ask of this kind of the task at the end of this path. */
const treeAsk = (task: Task, last: string, kind: Ask["kind"]): Promise<TreeAsk> =>
  firstValueFrom(
    task.treeAsks$.pipe(filter(({ path: ids, ask }) => ids.at(-1) === last && ask.kind === kind)),
  );

describe("L16: a task shows the asks of its descendants:", () => {
  test("the root answers an ask of a subtask's subtask, by its path (field failure 5)", async () => {
    await using rig = await openSubtaskRig(NESTED_SCRIPT);
    const { task } = rig;
    const { id } = task;
    const end = task.run("Do it");
    const { path: ids, ask } = await treeAsk(task, `${id}.1.1`, "question");
    expect(ids).toEqual([id, `${id}.1`, `${id}.1.1`]);
    expect(task.asks).toEqual([]);
    expect(task.treeAsks).toEqual([{ path: ids, ask }]);
    const child = await openedTask(rig.host, `${id}.1`);
    expect(child.treeAsks).toEqual([{ path: [`${id}.1`, `${id}.1.1`], ask }]);
    expect(replyTo(ask)).toEqual({ ok: true });
    expect(replyTo(ask)).toMatchObject({ ok: false, code: "ASK_ALREADY_ANSWERED" });
    expect((await end).result).toBe("All done.");
    expect(task.treeAsks.map(summaryOf)).toEqual([[id, "completion"]]);
  });

  test("an answer to an ask that a cancel of the root closed is refused", async () => {
    await using rig = await openSubtaskRig(NESTED_SCRIPT);
    const { task } = rig;
    const end = task.run("Do it");
    const { ask } = await treeAsk(task, `${task.id}.1.1`, "question");
    task.cancel();
    expect(replyTo(ask)).toMatchObject({ ok: false, code: "ASK_CLOSED" });
    await end;
    await task.flushed();
    expect(task.treeAsks.filter(({ path: ids }) => ids.length === 1).map(summaryOf)).toEqual([
      [task.id, "resume"],
    ]);
  });

  test("also of those that no task waits for, and its own", async () => {
    await using rig = await openSubtaskRig(detaching);
    const { host, task } = rig;
    const { id } = task;
    task.run("Do it").catch(() => undefined);
    await askOf(host, `${id}.1`, "question");
    const detached = await openedTask(host, `${id}.1`);
    detached.cancel();
    await treeAsk(task, id, "question");
    expect(task.treeAsks.map(summaryOf)).toEqual([
      [id, "question"],
      [`${id} ${id}.1`, "resume"],
    ]);
    detached.run("later").catch(() => undefined);
    await treeAsk(task, `${id}.1`, "question");
    expect(task.treeAsks.map(summaryOf)).toEqual([
      [id, "question"],
      [`${id} ${id}.1`, "question"],
    ]);
    expect(replyTo(task.treeAsks[1]?.ask)).toEqual({ ok: true });
  });

  test("the list is the same until an ask opens or closes; an observer gets each ask once", async () => {
    await using rig = await openSubtaskRig(NESTED_SCRIPT);
    const { host, task } = rig;
    const { id } = task;
    const seen: TreeAsk[] = [];
    const empty = task.treeAsks;
    task.treeAsks$.subscribe((ask) => seen.push(ask));
    const end = task.run("Do it");
    expect(task.treeAsks).toBe(empty);
    const asked = await askOf(host, `${id}.1.1`, "question");
    const open = task.treeAsks;
    expect(open).toHaveLength(1);
    const child = await openedTask(host, `${id}.1.1`);
    child.queue("Meanwhile");
    await child.flushed();
    expect(task.treeAsks).toBe(open);
    const late: TreeAsk[] = [];
    task.treeAsks$.subscribe((ask) => late.push(ask));
    replyTo(asked);
    await end;
    await task.flushed();
    expect(task.treeAsks).not.toBe(open);
    const expected = [
      [`${id} ${id}.1 ${id}.1.1`, "question"],
      [id, "completion"],
    ];
    expect(seen.map(summaryOf)).toEqual(expected);
    expect(late.map(summaryOf)).toEqual(expected);
  });

  test("the root of a reopened tree answers the ask of its subtask's subtask (L11, L12)", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "new_task", turn: completes("One done.") },
      { mode: "one", turn: subtask("two") },
      { mode: "two", after: "note", turn: completes("Two done.") },
      { mode: "two", after: "ask_followup_question", turn: NOTE },
      { mode: "two", turn: QUESTION },
    );
    const policy: Policy = ({ tool: { name } }) =>
      name === "note" ? { kind: "ask" } : { kind: "allow", rule: "all but notes" };
    await using rig = await openSubtaskRig(script);
    const { id } = rig.task;
    rig.task.run("Do it").catch(() => undefined);
    await treeAsk(rig.task, `${id}.1.1`, "question");
    const crash = new Crash(rig);
    const notes = new Notes();
    await using copy = await crash.open({ tools: [notes.tool], permissions: { judge: policy } });
    const { host, task } = copy;
    expect(task.treeAsks.map(summaryOf)).toEqual([[id, "resume"]]);
    const asked: (string | undefined)[] = [];
    task.treeAsks$.subscribe(({ path: ids, ask }) => {
      if (ask.kind !== "tool") return;
      asked.push(ids.at(-1));
      ask.approve();
    });
    expect((await task.run()).result).toBe("All done.");
    expect(asked).toEqual([`${id}.1.1`]);
    expect(subtaskResults(task)).toEqual(["One done."]);
    expect([...host.tasks.keys()]).toEqual([id]);
    expect(notes.count).toBe(1);
  });
});

describe("the stream of a root", () => {
  const asksIn = async (
    events: AsyncIterable<TaskStreamEvent>,
    answer: (asked: TreeAsk) => void,
  ): Promise<readonly unknown[]> => {
    const asked: unknown[] = [];
    for await (const event of events) {
      if (event.type === "result") asked.push(event.end.result);
      if (event.type !== "ask") continue;
      asked.push(summaryOf(event));
      answer(event);
    }
    return asked;
  };

  test("has the asks of its subtasks: a reader that answers them gets the result (L16)", async () => {
    const onlyStarts: Policy = ({ tool }) =>
      tool.effect === "delegates" ? { kind: "allow", rule: "start" } : { kind: "ask" };
    await using rig = await openSubtaskRig(NESTED_SCRIPT, { policy: onlyStarts });
    const { id } = rig.task;
    const asked = await asksIn(rig.task.stream("Do it"), ({ ask }) => {
      replyTo(ask);
      if (ask.kind === "completion") ask.approve();
    });
    expect(asked).toEqual([
      [`${id} ${id}.1 ${id}.1.1`, "question"],
      [`${id} ${id}.1 ${id}.1.1`, "completion"],
      [`${id} ${id}.1`, "completion"],
      "All done.",
    ]);
  });

  test("has no ask to resume a subtask that was cancelled: nothing waits for it", async () => {
    await using rig = await openSubtaskRig(NESTED_SCRIPT);
    const { host, task } = rig;
    const { id } = task;
    const asked = await asksIn(task.stream("Do it"), () => host.tasks.get(`${id}.1.1`)?.cancel());
    expect(asked).toEqual([[`${id} ${id}.1 ${id}.1.1`, "question"], "All done."]);
    expect(task.treeAsks.map(summaryOf)).toContainEqual([`${id} ${id}.1 ${id}.1.1`, "resume"]);
  });
});

test("PASSIVE: listing and observing the asks of a tree does not activate a passive subtask; its answer does", async () => {
  let loaded = 0;
  const journals = memoryJournals();
  const journal = (taskId: string): JournalDriver => {
    const driver = journals(taskId);
    const { passive } = driver;
    if (passive === undefined || !taskId.includes(".")) return driver;
    const load = () => {
      loaded += 1;
      return passive.load();
    };
    return { ...driver, passive: { ...passive, load } };
  };
  const host = { maxResident: 1000 };
  await using rig = await openSubtaskRig(detaching, { journal, host });
  const { task } = rig;
  const { id } = task;
  task.run("Do it").catch(() => undefined);
  // Nobody reads its asks before it is passive.
  await atCommit(rig.host, `${id}.1`, ({ commit }) => commit.after === "waiting_for_input.answer");
  const detached = await openedTask(rig.host, `${id}.1`);
  detached.cancel();
  await rig.ask("question");
  await Promise.all([task.flushed(), detached.flushed()]);
  expect(await detached.passivate()).toBe(true);

  const open = task.treeAsks;
  expect(open.map(summaryOf)).toEqual([
    [id, "question"],
    [`${id} ${id}.1`, "resume"],
  ]);
  const seen: TreeAsk[] = [];
  task.treeAsks$.subscribe((ask) => seen.push(ask));
  expect(seen).toEqual(open);
  expect(loaded).toBe(0);

  const { ask } = open[1] ?? {};
  expect(ask?.kind === "resume" && ask.approve()).toEqual({ ok: true });
  expect(loaded).toBe(1);
  await treeAsk(task, `${id}.1`, "question");
  expect(seen.map(summaryOf).slice(2)).toEqual([[`${id} ${id}.1`, "question"]]);
});
