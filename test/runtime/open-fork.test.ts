import { expect, test } from "vitest";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { DONE, openRig, type Rig } from "../support/host.ts";

const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: hello } }";
const QUESTION = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";

/** The newest record of a task, with the machine's snapshot after it. */
const newestOf = ({ shown }: Rig): TaskCommit => shown.at(-1) ?? expect.fail("no commit");

const historyOf = ({ dataDir }: Rig): TaskHistory => openHistory({ dataDir });

/** A fork of the rig's task that continues at a commit. */
async function forkAt(rig: Rig, { seq, snapshot }: TaskCommit): Promise<Task> {
  const { id } = await historyOf(rig).fork(rig.task.id, { at: seq });
  return rig.host.openFork(id, snapshot, { model: rig.model });
}

/** A rig whose task waits for the approval of an edit, and that commit. */
async function waiting(script = `[${WRITE}, ${DONE}, ${DONE}]`) {
  const rig = await openRig({ script });
  rig.task.run("Write it").catch(() => undefined);
  const ask = await rig.ask("tool");
  await rig.task.flushed();
  return { rig, ask, moment: newestOf(rig) };
}

test("PASSIVE: a fork continues with the ask that its original has answered since, and takes another answer", async () => {
  const { rig, ask, moment } = await waiting();
  await using _ = rig;
  ask.reject();
  await rig.ask("completion");
  const before = [...rig.task.log];
  const fork = await forkAt(rig, moment);
  expect(fork.state.state).toBe("waiting_for_input");
  expect(fork.asks).toMatchObject([{ id: ask.id, kind: "tool" }]);
  const shared = [...moment.snapshot.context.log];
  expect([...fork.log]).toEqual(shared);
  expect(fork.snapshot.context).toMatchObject({ taskId: fork.id, ask: { id: ask.id } });
  await expect(rig.file("a.txt")).rejects.toThrow("ENOENT");
  const settled = fork.settled();
  expect(fork.answer(ask.id, { kind: "yes" })).toEqual({ ok: true });
  expect((await settled).state).toBe("idle");
  expect(await rig.file("a.txt")).toBe("hello");
  expect([...rig.task.log]).toEqual(before);
});

test("L11: a fork that continued and was closed has its ask withdrawn, and is reopened at rest", async () => {
  const { rig, ask, moment } = await waiting();
  await using _ = rig;
  const fork = await forkAt(rig, moment);
  await fork.close();
  expect([...fork.log].find(({ ts }) => ts === ask.id)?.closing).toBe("withdrawn");
  const again = await rig.host.open(fork.id, { model: rig.model });
  expect(again.asks).toMatchObject([{ kind: "resume" }]);
});

test("PASSIVE: a fork continues with an open question, and with the ask of a task at rest", async () => {
  await using rig = await openRig({ script: `[${QUESTION}, ${DONE}, ${DONE}, ${DONE}]` });
  rig.task.run("Ask").catch(() => undefined);
  const question = await rig.ask("question");
  await rig.task.flushed();
  const asked = newestOf(rig);
  question.answer("left");
  const done = await rig.ask("completion");
  await rig.task.flushed();
  const completing = newestOf(rig);
  done.approve();
  const other = await forkAt(rig, asked);
  const ended = other.settled();
  expect(other.answer(question.id, { kind: "text", text: "right" })).toEqual({ ok: true });
  await ended;
  expect([...other.log].map(({ text }) => text)).toContain("right");
  const resting = await forkAt(rig, completing);
  expect(resting.asks).toMatchObject([{ id: done.id, kind: "completion" }]);
});

test("L8: a fork does not continue where more than the open ask was under way", async () => {
  const { rig } = await waiting();
  await using _ = rig;
  const working = rig.shown.find(({ commit }) => commit.after === "streaming.receiving");
  const { id } = await historyOf(rig).fork(rig.task.id, { at: working?.seq ?? 1 });
  await expect(
    rig.host.openFork(id, working?.snapshot ?? expect.fail("no commit"), { model: rig.model }),
  ).rejects.toMatchObject({ code: "TASK_BUSY" });
});

test("a fork rejects the snapshot of another record", async () => {
  const { rig, ask, moment } = await waiting();
  await using _ = rig;
  ask.reject();
  await rig.ask("completion");
  const { id } = await historyOf(rig).fork(rig.task.id);
  await expect(rig.host.openFork(id, moment.snapshot, { model: rig.model })).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
});
