import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import {
  subtaskCancelled,
  subtaskFinished,
  subtaskInBackground,
  subtaskNotAwaited,
  subtaskOrdered,
  subtasksBeforeCompletion,
  subtasksEnded,
} from "../../../machines/conversation/notices.ts";
import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskSnapshot } from "../../../runtime/task/task-view.ts";
import {
  asking,
  call,
  inBackground,
  openBackgroundRig,
  question,
  sentTexts,
  timesSent,
} from "../../support/background-script.ts";
import {
  askOf,
  completes,
  openedTask,
  openSubtaskRig,
  scriptByMode,
  subtaskResults,
} from "../../support/subtasks.ts";

const endsIn = ({ context }: TaskSnapshot) => context.backgroundSubtasks.map(({ end }) => end?.kind);
const ends = (task: Task) => endsIn(task.snapshot);
const otherQuestion = (task: Task, earlier: Ask) =>
  firstValueFrom(task.asks$.pipe(filter((ask) => ask.kind === "question" && ask.id !== earlier.id)));
const DONE = { mode: "code", after: "ask_followup_question", turn: completes("All done.") };
const twoChildren = [
  DONE,
  { mode: "code", after: "new_task", turn: question("Mine?") },
  { mode: "code", turn: `[${inBackground("one")}, ${inBackground("two")}]` },
  ...asking("one"),
  ...asking("two"),
];
const startOne = { mode: "code", turn: inBackground("one") };

describe("subtasks in the background", () => {
  test("work while their parent goes on, and the request after each end has its result once (JOIN)", async () => {
    await using rig = await openBackgroundRig([
      { mode: "code", to: "Done in one", turn: question("Second?") },
      { mode: "code", to: "Done in two", turn: completes("All done.") },
      { mode: "code", after: "new_task", turn: question("First?") },
      ...twoChildren.slice(2),
    ]);
    const { host, task } = rig;
    const end = task.run("Do it");
    const first = await askOf(host, task.id, "question");
    const [one, two] = await Promise.all([
      askOf(host, `${task.id}.1`, "question"),
      askOf(host, `${task.id}.2`, "question"),
    ]);
    void end;
    const settled = task.settled();
    for (const number of [1, 2]) expect(timesSent(rig, subtaskInBackground(`${task.id}.${number}`))).toBe(1);
    expect(host.focus(task.id)).toBe(task);
    expect(host.stack(`${task.id}.2`).map(({ id }) => id)).toEqual([task.id, `${task.id}.2`]);
    one.answer("left");
    await rig.until(({ snapshot }) => endsIn(snapshot).includes("finished"));
    expect(subtaskResults(task)).toEqual([]);
    first.answer("First");
    const second = await otherQuestion(task, first);
    expect(subtaskResults(task)).toEqual(["Done in one."]);
    two.answer("left");
    await rig.until(({ snapshot }) => endsIn(snapshot).includes("finished"));
    expect(task.answer(second.id, { kind: "text", text: "Second" }).ok).toBe(true);
    expect((await settled).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["Done in one.", "Done in two."]);
    for (const mode of ["one", "two"])
      expect(
        timesSent(rig, subtaskFinished(`${task.id}.${mode === "one" ? 1 : 2}`, `Done in ${mode}.`)),
      ).toBe(1);
    expect([...host.tasks.keys()]).toEqual([task.id]);
  });

  test("are offered only in a task with the option, and its subtasks", async () => {
    await using rig = await openSubtaskRig(scriptByMode(DONE, { mode: "code", turn: question("Mine?") }), {
      completion: "tool",
    });
    const end = rig.task.run("Do it");
    (await rig.ask("question")).answer("yes");
    await end;
    const sent = JSON.stringify(rig.mock?.requests.map(({ body }) => body));
    expect(sent).not.toMatch(
      /wait_for_subtasks|cancel_subtask|message_subtask|subtask_state|background: true/,
    );
    await using other = await openBackgroundRig([...twoChildren]);
    const running = other.task.run("Do it");
    const asks = await Promise.all(
      [other.task.id, `${other.task.id}.1`, `${other.task.id}.2`].map((id) =>
        askOf(other.host, id, "question"),
      ),
    );
    for (const body of other.mock?.requests.map((request) => JSON.stringify(request.body)) ?? [])
      expect(body).toMatch(/wait_for_subtasks.*cancel_subtask.*message_subtask.*subtask_state/);
    const settled = other.task.settled();
    for (const ask of asks.toReversed()) ask.answer("left");
    await settled;
    await running;
  });
});

describe("wait_for_subtasks", () => {
  const waiting = (input: string) => [
    { mode: "code", after: "wait_for_subtasks", turn: completes("All done.") },
    { mode: "code", after: "new_task", turn: call("wait_for_subtasks", input) },
    ...twoChildren.slice(2),
  ];
  const askBoth = (rig: Awaited<ReturnType<typeof openBackgroundRig>>) =>
    Promise.all([1, 2].map((number) => askOf(rig.host, `${rig.task.id}.${number}`, "question")));

  test("waits for all subtasks, whose results follow in the same message", async () => {
    await using rig = await openBackgroundRig(waiting(""));
    const { host, task } = rig;
    const running = task.run("Do it");
    const [one, two] = await askBoth(rig);
    const settled = task.settled();
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    expect(host.focus(task.id)?.id).toBe(`${task.id}.1`);
    two?.answer("left");
    await rig.until(({ snapshot }) => endsIn(snapshot).includes("finished"));
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    one?.answer("left");
    expect((await settled).result).toBe("All done.");
    await running;
    const ids = [`${task.id}.1`, `${task.id}.2`];
    expect(sentTexts(rig).at(-1)).toEqual(
      expect.arrayContaining([
        subtasksEnded(ids, [], false),
        subtaskFinished(`${task.id}.1`, "Done in one."),
        subtaskFinished(`${task.id}.2`, "Done in two."),
      ]),
    );
  });

  test("waits for any of them, and the completion for the other", async () => {
    await using rig = await openBackgroundRig(waiting("until: any"));
    const { task } = rig;
    const running = task.run("Do it");
    const [one, two] = await askBoth(rig);
    const settled = task.settled();
    two?.answer("left");
    await rig.until(({ snapshot }) => snapshot.context.backgroundSubtasks.length === 1);
    one?.answer("left");
    expect((await settled).result).toBe("All done.");
    await running;
    expect(subtaskResults(task)).toEqual(["Done in two.", "Done in one."]);
    expect(timesSent(rig, subtasksEnded([`${task.id}.2`], [`${task.id}.1`], false))).toBe(1);
    expect(timesSent(rig, subtasksBeforeCompletion())).toBe(1);
  });

  test("waits for those that it names", async () => {
    await using rig = await openBackgroundRig(waiting("ids: [root.2]"), { id: "root" });
    const { task } = rig;
    const running = task.run("Do it");
    const [one, two] = await askBoth(rig);
    const settled = task.settled();
    two?.answer("left");
    await rig.until(({ snapshot }) => snapshot.context.backgroundSubtasks.length === 1);
    one?.answer("left");
    await settled;
    await running;
    expect(timesSent(rig, subtasksEnded(["root.2"], [], false))).toBe(1);
  });

  test("ends with a message of the user, which the same request has", async () => {
    await using rig = await openBackgroundRig(waiting(""));
    const { task } = rig;
    const running = task.run("Do it");
    const [one, two] = await askBoth(rig);
    const settled = task.settled();
    expect(task.queue("What is new?").ok).toBe(true);
    await rig.until(({ snapshot }) => snapshot.context.request !== undefined);
    one?.answer("left");
    two?.answer("left");
    expect((await settled).result).toBe("All done.");
    await running;
    const ids = [`${task.id}.1`, `${task.id}.2`];
    expect(timesSent(rig, subtasksEnded([], ids, true))).toBe(1);
  });

  test("is refused for an id that no subtask has, with those that work", async () => {
    await using rig = await openBackgroundRig(waiting("ids: [other]"), { id: "root" });
    const running = rig.task.run("Do it");
    const asks = await askBoth(rig);
    const settled = rig.task.settled();
    for (const ask of asks) ask.answer("left");
    await settled;
    await running;
    expect(timesSent(rig, subtaskOrdered.unknown("other", ["root.1", "root.2"]), "some")).toBe(1);
  });
});

describe("cancel_subtask", () => {
  test("cancels the subtask, and gives the model its end once", async () => {
    await using rig = await openBackgroundRig(
      [
        { mode: "code", after: "cancel_subtask", turn: completes("All done.") },
        { mode: "code", after: "ask_followup_question", turn: call("cancel_subtask", "id: root.1") },
        { mode: "code", after: "new_task", turn: question("Mine?") },
        startOne,
        ...asking("one"),
      ],
      { id: "root" },
    );
    const { host, task } = rig;
    const running = task.run("Do it");
    const child = await openedTask(host, "root.1");
    await askOf(host, "root.1", "question");
    const mine = await rig.ask("question");
    const settled = task.settled();
    mine.answer("go");
    expect((await settled).result).toBe("All done.");
    await running;
    expect(child.snapshot.value).toBe("resumable");
    expect(timesSent(rig, subtaskOrdered.cancelled("root.1"))).toBe(1);
    expect(timesSent(rig, subtaskCancelled("root.1"))).toBe(1);
    expect(subtaskResults(task)).toEqual([subtaskCancelled("root.1")]);
    expect(host.tasks.has("root.1")).toBe(false);
  });
});

describe("message_subtask", () => {
  const sending = (id: string) => [
    { mode: "code", after: "message_subtask", turn: completes("All done.") },
    { mode: "code", after: "new_task", turn: call("message_subtask", `id: ${id}, message: Look at b.`) },
    startOne,
  ];

  test("reaches the next request of the subtask, also while it is being opened", async () => {
    await using rig = await openBackgroundRig(
      [
        ...sending("root.1"),
        { mode: "one", to: "Look at b", turn: completes("I looked.") },
        ...asking("one"),
      ],
      { id: "root" },
    );
    const { host, task } = rig;
    const running = task.run("Do it");
    const child = await openedTask(host, "root.1");
    const ask = await askOf(host, "root.1", "question");
    await expect.poll(() => task.snapshot.value).toEqual({ running: "delegated" });
    expect(child.snapshot.context.queue.map(({ text }) => text)).toEqual(["Look at b."]);
    const settled = task.settled();
    ask.answer("left");
    await settled;
    await running;
    expect(subtaskResults(task)).toEqual(["I looked."]);
  });

  test("is refused for an id that no subtask in the background has, with those that work", async () => {
    await using rig = await openBackgroundRig([...sending("other"), ...asking("one")], { id: "root" });
    const running = rig.task.run("Do it");
    const ask = await askOf(rig.host, "root.1", "question");
    const settled = rig.task.settled();
    ask.answer("left");
    await settled;
    await running;
    const error = "No subtask other of this task works in the background: expected root.1.";
    expect(timesSent(rig, error, "some")).toBe(1);
  });

  test("is refused when the queue of the subtask is full", async () => {
    await using rig = await openBackgroundRig(
      [...sending("root.1"), ...asking("one"), { mode: "one", turn: completes("Done in one.") }],
      { id: "root", limits: { queued: 0 } },
    );
    const running = rig.task.run("Do it");
    const ask = await askOf(rig.host, "root.1", "question");
    const settled = rig.task.settled();
    await expect.poll(() => rig.task.snapshot.value).toEqual({ running: "delegated" });
    ask.answer("left");
    await settled;
    await running;
    expect(timesSent(rig, "its limit `queued`", "some")).toBe(1);
  });
});

describe("subtask_state", () => {
  test("tells the state of each subtask, what it waits for, and its newest text", async () => {
    await using rig = await openBackgroundRig(
      [
        { mode: "code", after: "subtask_state", turn: completes("All done.") },
        { mode: "code", after: "ask_followup_question", turn: call("subtask_state") },
        { mode: "code", after: "new_task", turn: question("Mine?") },
        { mode: "code", turn: `[${inBackground("one", ", name: Moons")}, ${inBackground("two")}]` },
        { mode: "one", after: "ask_followup_question", turn: completes("Done in one.") },
        { mode: "one", turn: `[{ text: I look. }, ${question("Which?")}]` },
        { mode: "two", turn: completes("Done in two.") },
      ],
      { id: "root" },
    );
    const { host, task } = rig;
    const running = task.run("Do it");
    const ask = await askOf(host, "root.1", "question");
    const mine = await rig.ask("question");
    await expect.poll(() => ends(task)).toEqual([undefined, "finished"]);
    const settled = task.settled();
    mine.answer("go");
    const isState = (text: string) => text.startsWith("root.1 (Moons)");
    await expect.poll(() => sentTexts(rig).flat().some(isState)).toBe(true);
    ask.answer("left");
    await settled;
    await running;
    const text = sentTexts(rig).flat().find(isState);
    expect(text).toMatch(
      /^root\.1 \(Moons\): waiting: asks: Which\?\nUsed: \d+ tokens, \$0\.\d+\nNewest text: I look\.\n*$/,
    );
  });

  test("names each subtask by its name, or by the first line of its message, from its start on", async () => {
    const unnamed =
      '{ tool: new_task, input: { mode: two, message: "Count the moons.\\nOf Mars.", background: true } }';
    await using rig = await openBackgroundRig(
      [
        { mode: "code", after: "subtask_state", turn: completes("All done.") },
        {
          mode: "code",
          turn: `[${inBackground("one", ", name: Moons")}, ${unnamed}, ${call("subtask_state")}]`,
        },
        { mode: "one", turn: completes("Done in one.") },
        { mode: "two", turn: completes("Done in two.") },
      ],
      { id: "root" },
    );
    await rig.task.run("Do it");
    const text = sentTexts(rig)
      .flat()
      .find((sent) => sent.startsWith("root.1 (Moons): "));
    expect(text).toContain("\n\nroot.2 (Count the moons.): ");
  });
});

describe("a completion", () => {
  const completing = (mode: string) => [
    { mode: "code", after: "new_task", turn: completes("Too early.") },
    { mode: "code", turn: inBackground(mode) },
  ];

  test("waits for the subtasks in the background, and the model gets their ends first", async () => {
    await using rig = await openBackgroundRig([...completing("one"), ...asking("one")]);
    const { task } = rig;
    const running = task.run("Do it");
    const ask = await askOf(rig.host, `${task.id}.1`, "question");
    const settled = task.settled();
    await expect.poll(() => task.snapshot.value).toEqual({ running: "delegated" });
    ask.answer("left");
    expect((await settled).result).toBe("All done.");
    await running;
    expect(timesSent(rig, subtasksBeforeCompletion())).toBe(1);
    expect(timesSent(rig, subtaskFinished(`${task.id}.1`, "Done in one."))).toBe(1);
  });

  test("by the end of a turn waits as well", async () => {
    await using rig = await openBackgroundRig(
      [
        { mode: "code", to: "Done in one", turn: "{ text: With one. }" },
        { mode: "code", after: "new_task", turn: "{ text: All done. }" },
        { mode: "code", turn: inBackground("one") },
        ...asking("one"),
      ],
      { completion: "end_turn" },
    );
    const { task } = rig;
    const running = task.run("Do it");
    const ask = await askOf(rig.host, `${task.id}.1`, "question");
    const settled = task.settled();
    await expect.poll(() => task.snapshot.value).toEqual({ running: "delegated" });
    ask.answer("left");
    expect((await settled).result).toBe("With one.");
    await running;
    expect(timesSent(rig, subtaskFinished(`${task.id}.1`, "Done in one."))).toBe(1);
  });

  test("cancels them where the option says so, and reports it", async () => {
    await using rig = await openBackgroundRig(
      [
        { mode: "code", after: "ask_followup_question", turn: completes("All done.") },
        { mode: "code", after: "new_task", turn: question("Mine?") },
        startOne,
        ...asking("one"),
      ],
      { backgroundSubtasks: "cancel", id: "root" },
    );
    const { host, task } = rig;
    const running = task.run("Do it");
    const child = await openedTask(host, "root.1");
    await askOf(host, "root.1", "question");
    const mine = await rig.ask("question");
    const settled = task.settled();
    mine.answer("go");
    expect((await settled).result).toBe("All done.");
    await running;
    await expect.poll(() => child.snapshot.value).toBe("resumable");
    const errors = task.log.toArray().filter(({ say }) => say === "error");
    expect(errors.map(({ text }) => text)).toEqual([subtaskNotAwaited("root.1")]);
    await expect.poll(() => [...host.tasks.keys()]).toEqual(["root"]);
  });
});
