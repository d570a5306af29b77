import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { subtaskCancelled, subtaskFinished } from "../../../machines/conversation/notices.ts";
import { createHost } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { allowEverything, builtinTools, type Policy } from "../../../tools/index.ts";
import { type Rig, resultsOf } from "../../support/host.ts";
import {
  askOf,
  atCommit,
  type Copy,
  Crash,
  completes,
  MODES,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const isCompletion = ({ commit }: TaskCommit) => commit.reports.some(({ type }) => type === "task.completed");
const isOffer = ({ commit }: TaskCommit) => commit.after === "idle.completing";

const parent = [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
];
/** A subtask with an effect, which then asks. */
const child = [
  { mode: "one", after: "ask_followup_question", turn: completes("One done.") },
  { mode: "one", after: "note", turn: QUESTION },
  { mode: "one", turn: NOTE },
];

/** Resume the task and answer its and its subtasks' asks, until it offers its completion. */
async function goOn({ host, task }: Copy): Promise<void> {
  host.opened$.subscribe((opened) => answerAll(opened));
  const [ask] = task.asks;
  if (ask?.kind !== "resume") throw new Error(`The task rests on ${ask?.kind}.`);
  const end = task.settled();
  ask.approve();
  expect((await end).result).toBe("All done.");
}

const answerAll = (task: Task): void => {
  task.asks$.subscribe((ask) => {
    if (ask.kind === "question") ask.answer("left");
  });
};

/** The parent has its subtask's result once, in its messages and in its conversation. */
function expectTold(rig: Rig, { host, task }: Copy): void {
  const id = `${task.id}.1`;
  expect(subtaskResults(task)).toEqual(["One done."]);
  expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([subtaskFinished(id, "One done.")]);
  expect([...host.tasks.keys()]).toEqual([task.id]);
}

describe("L16: a parent whose process ended resumes once, with its subtask's result", () => {
  test("when the subtask had not ended: it resumes, and none of its effects is repeated (L12)", async () => {
    const before = new Notes();
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [before.tool] });
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, `${rig.task.id}.1`, "question");
    const crash = new Crash(rig);
    const after = new Notes();
    await using copy = await crash.open({ tools: [after.tool] });
    expect(copy.host.tasks.size).toBe(1);
    await goOn(copy);
    expectTold(rig, copy);
    expect([before.count, after.count]).toEqual([1, 0]);
  });

  test("when the subtask had ended and the parent had not recorded it: that outcome is used", async () => {
    const before = new Notes();
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [before.tool] });
    rig.host.opened$.subscribe(answerAll);
    const crashed = atCommit(rig.host, `${rig.task.id}.1`, isCompletion).then(() => undefined);
    let crash: Crash | undefined;
    rig.host.opened$.subscribe((opened) =>
      opened.events$.subscribe((shown) => {
        if (isCompletion(shown)) crash = new Crash(rig);
      }),
    );
    await rig.task.run("Do it");
    await crashed;
    const after = new Notes();
    const copy = await crash?.open({ tools: [after.tool] });
    if (copy === undefined) throw new Error("There was no end.");
    await using opened = copy;
    // The outcome is recorded when the task is opened, before it is resumed.
    expect(subtaskResults(opened.task)).toEqual(["One done."]);
    await goOn(opened);
    expectTold(rig, opened);
    expect([before.count, after.count]).toEqual([1, 0]);
  });

  test("when the subtask had no journal: it is created", async () => {
    const before = new Notes();
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [before.tool] });
    rig.host.opened$.subscribe(answerAll);
    let crash: Crash | undefined;
    rig.task.events$.subscribe(({ commit }) => {
      if (commit.after === "running.delegated") crash ??= new Crash(rig);
    });
    await rig.task.run("Do it");
    const after = new Notes();
    const copy = await crash?.open({ tools: [after.tool] });
    if (copy === undefined) throw new Error("There was no subtask.");
    await using opened = copy;
    await goOn(opened);
    expectTold(rig, opened);
    expect([before.count, after.count]).toEqual([1, 1]);
  });

  test("when the parent had recorded the outcome: it is not recorded again", async () => {
    const before = new Notes();
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [before.tool] });
    rig.host.opened$.subscribe(answerAll);
    let crash: Crash | undefined;
    rig.task.events$.subscribe(({ commit }) => {
      if (commit.cause?.type === "subtask.ended") crash ??= new Crash(rig);
    });
    await rig.task.run("Do it");
    const after = new Notes();
    const copy = await crash?.open({ tools: [after.tool] });
    if (copy === undefined) throw new Error("The subtask did not end.");
    await using opened = copy;
    await goOn(opened);
    expectTold(rig, opened);
    expect([before.count, after.count]).toEqual([1, 0]);
  });

  test("when the subtask had a completion ask and the policy's answer was not recorded", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", turn: completes("One done.") }),
    );
    let crash: Crash | undefined;
    rig.host.opened$.subscribe((opened) =>
      opened.events$.subscribe((shown) => {
        if (isOffer(shown)) crash ??= new Crash(rig);
      }),
    );
    await rig.task.run("Do it");
    const copy = await crash?.open();
    if (copy === undefined) throw new Error("There was no offer.");
    await using opened = copy;
    await goOn(opened);
    expectTold(rig, opened);
  });

  test("when a person had not accepted the completion: they continue with the subtask", async () => {
    const policy: Policy = ({ tool }) =>
      tool.effect === "delegates" ? { kind: "allow", rule: "start" } : { kind: "ask" };
    const done = { mode: "one", to: "again", turn: completes("Again.") };
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", after: "attempt_completion", turn: completes("Again.") }, done, {
        mode: "one",
        turn: completes("One done."),
      }),
      { policy },
    );
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, `${rig.task.id}.1`, "completion");
    const crash = new Crash(rig);
    await using copy = await crash.open({ permissions: { judge: policy } });
    const { host, task } = copy;
    const end = task.settled();
    const [ask] = task.asks;
    if (ask?.kind === "resume") ask.approve();
    const id = `${task.id}.1`;
    (await askOf(host, id, "resume_completed")).answer("again");
    (await askOf(host, id, "completion")).approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["Again."]);
  });

  /** The files of a process that crashes right after a user has cancelled the subtask. */
  async function crashAfterCancel(rig: Rig): Promise<Crash> {
    let crash: Crash | undefined;
    const end = rig.task.run("Do it");
    await askOf(rig.host, `${rig.task.id}.1`, "question");
    const cancelled = await openedTask(rig.host, `${rig.task.id}.1`);
    cancelled.events$.subscribe(() => {
      crash ??= new Crash(rig);
    });
    cancelled.cancel();
    await end;
    if (crash === undefined) throw new Error("There was no end.");
    return crash;
  }

  test("when the subtask was cancelled by its user and the parent had not recorded it", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [new Notes().tool] });
    const crash = await crashAfterCancel(rig);
    await using opened = await crash.open({ tools: [new Notes().tool] });
    await goOn(opened);
    expect(subtaskResults(opened.task)).toEqual([expect.stringContaining("was cancelled")]);
    expect(opened.host.tasks.size).toBe(1);
  });

  test("when its user cancelled the subtask, and later completed it: the first outcome counts (LIFE-GAP-012)", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [new Notes().tool] });
    const crash = await crashAfterCancel(rig);
    const host = createHost({ dataDir: path.join(crash.base, "data") });
    const late = await host.open(`${rig.task.id}.1`, {
      model: rig.model,
      permissions: { judge: allowEverything() },
      workspace: path.join(crash.base, "workspace"),
      modes: MODES,
      tools: [...builtinTools(), new Notes().tool],
    });
    answerAll(late);
    expect((await late.run()).result).toBe("One done.");
    await host.closeAll();
    await using opened = await crash.open({ tools: [new Notes().tool] });
    await goOn(opened);
    expect(subtaskResults(opened.task)).toEqual([subtaskCancelled(`${rig.task.id}.1`)]);
  });

  test("when the subtask is already open: that one is used", async () => {
    const before = new Notes();
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...child), { tools: [before.tool] });
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, `${rig.task.id}.1`, "question");
    const crash = new Crash(rig);
    const after = new Notes();
    await using copy = await crash.open({ tools: [after.tool] });
    const { host, task } = copy;
    const opened = await host.open(`${task.id}.1`, {
      model: anthropic({
        model: "m",
        apiKey: "mock",
        baseURL: rig.mock?.url,
      }),
      permissions: { judge: allowEverything() },
    });
    const asks = opened.settled();
    const [resume] = opened.asks;
    if (resume?.kind === "resume") resume.approve();
    await asks;
    await opened.flushed();
    await goOn(copy);
    expectTold(rig, copy);
    expect(after.count).toBe(0);
  });
});

/** Actions on three nested tasks of which the last one asks. */
const ACTS = {
  "cancel top": ([top]) => top?.cancel(),
  "cancel one": ([, one]) => one?.cancel(),
  "cancel two": ([, , two]) => two?.cancel(),
  "close one": ([, one]) => one?.close(),
  "close two": ([, , two]) => two?.close(),
  answer: ([, , two]) => {
    for (const ask of two?.asks ?? []) if (ask.kind === "question") ask.answer("left");
  },
} satisfies Record<string, (stack: readonly Task[]) => unknown>;
type Act = keyof typeof ACTS | "crash";

/** Perform these actions, then answer; returns the journals that a process that ended in between would have left. */
async function happen(rig: Rig, order: readonly Act[]): Promise<Crash | undefined> {
  const { host, task } = rig;
  const rest = task.run("Do it");
  await askOf(host, `${task.id}.1.1`, "question");
  const stack = host.stack(task.id);
  let crash: Crash | undefined;
  const done: unknown[] = [];
  for (const act of [...order, "answer"] as const) {
    if (act === "crash") crash ??= new Crash(rig);
    else done.push(ACTS[act](stack));
  }
  await Promise.all(done);
  await rest;
  return crash;
}

test("L16: for any sequence of actions on three nested tasks, each call of new_task has one result, reported once", async () => {
  const acts = fc.constantFrom<Act>("crash", ...(Object.keys(ACTS) as (keyof typeof ACTS)[]));
  const script = scriptByMode(
    ...parent,
    { mode: "one", after: "new_task", turn: completes("One done.") },
    { mode: "one", turn: subtask("two") },
    { mode: "two", after: "ask_followup_question", turn: completes("Two done.") },
    { mode: "two", turn: QUESTION },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 3 }), async (order) => {
      await using rig = await openSubtaskRig(script);
      const crash = await happen(rig, order);
      if (rig.task.state.state === "resumable") await rig.task.run("go on");
      expectOneResult(rig.task);
      if (crash === undefined) return;
      await using copy = await crash.open();
      await goOn(copy);
      expectOneResult(copy.task);
    }),
    { numRuns: 12 },
  );
});

/** Each of the task's calls of new_task has one result in its conversation, and at most one message reports it. */
function expectOneResult(task: Task): void {
  const blocks = [...task.snapshot.context.conversation.toArray()].flatMap(
    ({ content }) => content as readonly { type: string; id?: string; name?: string; tool_use_id?: string }[],
  );
  const calls = blocks.filter(({ type, name }) => type === "tool_use" && name === "new_task");
  expect(calls).toHaveLength(1);
  for (const { id } of calls) expect(blocks.filter(({ tool_use_id }) => tool_use_id === id)).toHaveLength(1);
  expect(subtaskResults(task).length).toBeLessThanOrEqual(1);
}
