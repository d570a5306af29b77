import { describe, expect, test } from "vitest";
import {
  subtaskCancelled,
  subtaskFailed,
  subtaskFinished,
  subtaskOfOriginal,
  toolError,
} from "../../../machines/conversation/notices.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { allowEverything, builtinTools } from "../../../tools/index.ts";
import {
  asking,
  call,
  inBackground,
  openBackgroundRig,
  question,
  timesSent,
} from "../../support/background-script.ts";
import { askOf, completes, MODES, openedTask, subtask, subtaskResults } from "../../support/subtasks.ts";

const states = ({ snapshot: { context } }: Task) =>
  context.backgroundSubtasks.map(({ rests, end }) => end?.kind ?? rests ?? "works");
const parent = (...modes: readonly string[]) => [
  { mode: "code", after: "ask_followup_question", turn: completes("All done.") },
  { mode: "code", after: "new_task", turn: question("Mine?") },
  { mode: "code", turn: `[${modes.map((mode) => inBackground(mode)).join(", ")}]` },
];

describe("a cancel of the parent", () => {
  test("stops all subtasks in its background, and nothing of them starts after it (TREE)", async () => {
    await using rig = await openBackgroundRig([...parent("one", "two"), ...asking("one"), ...asking("two")]);
    const { host, task } = rig;
    const running = task.run("Do it");
    const ids = [`${task.id}.1`, `${task.id}.2`];
    const children = await Promise.all(ids.map((id) => openedTask(host, id)));
    await Promise.all([task.id, ...ids].map((id) => askOf(host, id, "question")));
    const requests = rig.sent().length;
    task.cancel();
    await running;
    await task.flushed();
    await expect.poll(() => [...host.tasks.keys()]).toEqual([task.id]);
    expect(children.map(({ snapshot }) => snapshot.value)).toEqual(["resumable", "resumable"]);
    expect(states(task)).toEqual(["cancelled", "cancelled"]);
    expect(rig.sent().length).toBe(requests);
    const settled = task.settled();
    (await rig.ask("resume")).approve();
    expect((await settled).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(ids.map((id) => subtaskCancelled(id)));
    for (const id of ids) expect(timesSent(rig, subtaskCancelled(id))).toBe(1);
  });

  test("at rest stops the subtasks that go on", async () => {
    await using rig = await openBackgroundRig([...parent("one"), ...asking("one")], {
      limits: { requests: 2 },
    });
    const { host, task } = rig;
    const running = task.run("Do it");
    await askOf(host, `${task.id}.1`, "question");
    const mine = await rig.ask("question");
    const settled = task.settled();
    mine.answer("left");
    expect((await settled).state).toBe("idle");
    await running;
    expect(states(task)).toEqual(["works"]);
    task.cancel();
    await expect.poll(() => [...host.tasks.keys()]).toEqual([task.id]);
    expect(states(task)).toEqual(["cancelled"]);
  });
});

describe("a pause of the parent", () => {
  test("pauses the subtasks in its background, also those that come to rest after it, and a resume continues them (PAUSE)", async () => {
    await using rig = await openBackgroundRig([...parent("one", "two"), ...asking("one"), ...asking("two")]);
    const { host, task } = rig;
    const running = task.run("Do it");
    const [mine, one, two] = await Promise.all(
      [task.id, `${task.id}.1`, `${task.id}.2`].map((id) => askOf(host, id, "question")),
    );
    expect(task.pause().ok).toBe(true);
    one?.answer("left");
    await expect.poll(() => states(task)).toEqual(["paused", "works"]);
    const settled = task.settled();
    mine?.answer("left");
    await settled;
    await running;
    expect(task.snapshot).toMatchObject({ value: "resumable", context: { pause: "resting" } });
    two?.answer("left");
    await expect.poll(() => states(task)).toEqual(["paused", "paused"]);
    await expect.poll(() => [...host.tasks.keys()]).toEqual([task.id]);
    const end = task.settled();
    (await rig.ask("resume")).approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task).toSorted()).toEqual(["Done in one.", "Done in two."]);
  });

  test("that ends before a subtask rests does not leave it behind", async () => {
    await using rig = await openBackgroundRig([...parent("one"), ...asking("one")]);
    const { host, task } = rig;
    const running = task.run("Do it");
    const [mine, one] = await Promise.all([task.id, `${task.id}.1`].map((id) => askOf(host, id, "question")));
    task.pause();
    const settled = task.settled();
    mine?.answer("left");
    await settled;
    await running;
    const end = task.settled();
    (await rig.ask("resume")).approve();
    await expect.poll(() => task.snapshot.value).toEqual({ running: "delegated" });
    one?.answer("left");
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["Done in one."]);
  });

  test("that has a subtask cancels none in the background of that one (PAUSE)", async () => {
    await using rig = await openBackgroundRig([
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "attempt_completion", turn: completes("Done in one.") },
      { mode: "one", after: "ask_followup_question", turn: completes("Done in one.") },
      { mode: "one", after: "new_task", turn: question("Mine?") },
      { mode: "one", turn: `[${inBackground("two")}]` },
      ...asking("two"),
    ]);
    const { host, task } = rig;
    const running = task.run("Do it");
    const [childId, deepId] = [`${task.id}.1`, `${task.id}.1.1`];
    const [mine, deep] = await Promise.all([childId, deepId].map((id) => askOf(host, id, "question")));
    const child = await openedTask(host, childId);
    const rested = task.settled();
    task.pause();
    mine?.answer("left");
    await rested;
    await running;
    expect(child.snapshot.context.pause).toBe("resting");
    expect(states(child)).toEqual(["works"]);
    deep?.answer("left");
    await expect.poll(() => states(child)).toEqual(["paused"]);
    const end = task.settled();
    (await rig.ask("resume")).approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["Done in one."]);
  });
});

test("the rest of the budget of a subtask in the background comes back once (BUDGET)", async () => {
  const budget = { requests: 20, tasks: 4 };
  await using rig = await openBackgroundRig([...parent("one"), ...asking("one")], { budget });
  const { host, task } = rig;
  const running = task.run("Do it");
  const [mine, one] = await Promise.all([task.id, `${task.id}.1`].map((id) => askOf(host, id, "question")));
  const left = () => {
    const { budget: held } = task.snapshot.context;
    return held?.state === "own" ? held.left : undefined;
  };
  expect(left()).toEqual({ requests: 9, tasks: 2 });
  one?.answer("left");
  await expect.poll(() => states(task)).toEqual(["finished"]);
  expect(left()).toEqual({ requests: 16, tasks: 3 });
  const settled = task.settled();
  mine?.answer("left");
  await settled;
  await running;
  expect(left()).toEqual({ requests: 15, tasks: 3 });
});

test("a call waits for room beyond the limit parallelSubtasks", async () => {
  await using rig = await openBackgroundRig(
    [
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: `[${inBackground("one")}, ${inBackground("two")}]` },
      ...asking("one"),
      ...asking("two"),
    ],
    { limits: { parallelSubtasks: 1 } },
  );
  const { host, task } = rig;
  const running = task.run("Do it");
  const one = await askOf(host, `${task.id}.1`, "question");
  expect(task.snapshot.value).toEqual({ running: "delegated" });
  expect(host.tasks.has(`${task.id}.2`)).toBe(false);
  const settled = task.settled();
  one.answer("left");
  (await askOf(host, `${task.id}.2`, "question")).answer("left");
  await settled;
  await running;
  expect(subtaskResults(task)).toEqual(["Done in one.", "Done in two."]);
});

test("a subtask in the background has what its call gives it: a name, tools, permissions and the schema of its result", async () => {
  const result = "{ type: object, properties: { moons: { type: integer } }, required: [moons] }";
  const given = `, name: Moons, tools: [ask_followup_question], permissions: { level: ask }, budget: { requests: 3 }, result: ${result}`;
  await using rig = await openBackgroundRig(
    [
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: inBackground("one", given) },
      {
        mode: "one",
        after: "ask_followup_question",
        turn: completes("{ moons: 2 }"),
      },
      { mode: "one", turn: question("Which?") },
    ],
    { budget: { requests: 20 } },
  );
  const { host, task } = rig;
  const running = task.run("Do it");
  const child = await openedTask(host, `${task.id}.1`);
  const ask = await askOf(host, child.id, "question");
  expect(child.title).toBe("Moons");
  expect(child.snapshot.context).toMatchObject({
    budget: { granted: { requests: 3 } },
    permissions: { mode: "ask" },
  });
  const settled = task.settled();
  ask.answer("left");
  await settled;
  await running;
  expect(subtaskResults(task)).toEqual(['{"moons":2}']);
});

test("a subtask in the background has subtasks in its own, and completes after them", async () => {
  await using rig = await openBackgroundRig([
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: inBackground("one") },
    { mode: "one", to: "Done in two", turn: completes("One with two.") },
    { mode: "one", after: "new_task", turn: completes("Too early.") },
    { mode: "one", turn: inBackground("two") },
    ...asking("two"),
  ]);
  const { host, task } = rig;
  const running = task.run("Do it");
  const ask = await askOf(host, `${task.id}.1.1`, "question");
  const settled = task.settled();
  ask.answer("left");
  await settled;
  await running;
  expect(subtaskResults(task)).toEqual(["One with two."]);
  expect([...host.tasks.keys()]).toEqual([task.id]);
});

test("a fork gets no result of a subtask in the background of its original, and a notice once", async () => {
  await using rig = await openBackgroundRig([...parent("one"), ...asking("one")]);
  const { host, task, dataDir } = rig;
  const running = task.run("Do it");
  const [mine, one] = await Promise.all([task.id, `${task.id}.1`].map((id) => askOf(host, id, "question")));
  await forkTask(fileHistory(dataDir), task.id, { newId: "fork" });
  const settled = task.settled();
  const failed = toolError(subtaskFailed(`${task.id}.1`, subtaskOfOriginal()));
  const fork = await host.open("fork", {
    model: rig.model,
    permissions: { judge: allowEverything() },
    modes: MODES,
    tools: builtinTools(),
    completion: "tool",
    backgroundSubtasks: "wait",
    workspace: rig.dir,
  });
  await fork.run();
  expect(states(fork)).toEqual([]);
  expect(subtaskResults(fork)).toEqual([subtaskFailed(`${task.id}.1`, subtaskOfOriginal())]);
  expect(timesSent(rig, failed)).toBe(1);
  one?.answer("left");
  await expect.poll(() => states(task)).toEqual(["finished"]);
  mine?.answer("left");
  await settled;
  await running;
  expect(timesSent(rig, subtaskFinished(`${task.id}.1`, "Done in one."))).toBe(1);
});

test("a wait ends when the only subtask is cancelled by its user", async () => {
  await using rig = await openBackgroundRig([
    { mode: "code", after: "wait_for_subtasks", turn: completes("All done.") },
    { mode: "code", after: "new_task", turn: call("wait_for_subtasks") },
    { mode: "code", turn: inBackground("one") },
    ...asking("one"),
  ]);
  const { host, task } = rig;
  const running = task.run("Do it");
  await askOf(host, `${task.id}.1`, "question");
  await expect.poll(() => task.snapshot.value).toEqual({ running: "delegated" });
  const settled = task.settled();
  host.tasks.get(`${task.id}.1`)?.cancel();
  expect((await settled).result).toBe("All done.");
  await running;
  expect(timesSent(rig, subtaskCancelled(`${task.id}.1`))).toBe(1);
});
