import path from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { deliverInbox } from "../../../runtime/inbox/inbox-delivery.ts";
import { fileJournal } from "../../../store/index.ts";
import { readJournal } from "../../../store/journal/reader.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { DONE, openRig, type Rig } from "../../support/host.ts";
import { MemoryInbox } from "../../support/memory-inbox.ts";

const QUESTION = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";

/** The commits that have a command, as the journal has them. */
async function takenIn(rig: Rig, id = rig.task.id) {
  const commits: CommitRecord[] = [];
  const driver = fileJournal({ dir: path.join(rig.dataDir, "tasks", id) });
  for await (const record of readJournal(driver, { onTail: () => {} }))
    if (record.kind === "commit" && record.inbox !== undefined) commits.push(record);
  return commits.map(({ inbox, cause }) => [inbox?.position, cause?.type ?? inbox?.refused ?? "nothing"]);
}

/** A delivery that reports errors to the test. */
function deliver(rig: Rig, inbox: MemoryInbox, task = rig.task) {
  const refused: [position: number, code: string][] = [];
  const errors: unknown[] = [];
  const delivery = deliverInbox({
    task,
    inbox,
    clock: { ...systemClock, after: (_, fire) => systemClock.after(0, fire) },
    onRefused: ({ position }, { code }) => refused.push([position, code]),
    onError: (error) => errors.push(error),
  });
  return { delivery, refused, errors };
}

describe("the owner of a task takes the commands of its inbox", () => {
  test("in order: it starts, queues, answers, and continues at rest, and each record has the position of its command", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}, ${DONE}]` });
    const inbox = new MemoryInbox();
    const { task } = rig;
    await inbox.send(task.id, { kind: "start", prompt: "Do it" });
    const { delivery, refused } = deliver(rig, inbox);
    const ask = await rig.ask("question");
    await inbox.send(task.id, { kind: "message", text: "And quickly" });
    const settled = task.settled();
    await inbox.send(task.id, { kind: "answer", askId: ask.id, answer: { kind: "text", text: "left" } });
    expect(await settled).toMatchObject({ state: "idle", result: "Done." });
    const again = task.settled();
    await inbox.send(task.id, { kind: "message", text: "Once more" });
    await again;
    await delivery.taken();
    expect(refused).toEqual([]);
    expect(await takenIn(rig)).toEqual([
      [1, "task.start"],
      [2, "queue.added"],
      [3, "ask.answered"],
      [4, "ask.answered"],
    ]);
    expect(inbox.rows).toEqual([]);
    expect(JSON.stringify(rig.sent())).toContain("And quickly");
  });

  test("a refused command is taken, and its record has the reason", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const inbox = new MemoryInbox();
    const { task } = rig;
    await inbox.send(task.id, { kind: "pause" });
    await inbox.send(task.id, { kind: "start", prompt: "Do it" });
    await inbox.send(task.id, { kind: "start", prompt: "Do it" });
    await inbox.put(task.id, "later-version", { kind: "rewind", to: 3 });
    await inbox.put(task.id, "damaged", { kind: "answer" });
    await inbox.send(task.id, { kind: "answer", askId: 1, answer: { kind: "yes" } });
    await inbox.send(task.id, { kind: "message", text: "Look", images: ["data:nothing"] });
    const { delivery, refused } = deliver(rig, inbox);
    const ask = await rig.ask("question");
    await inbox.send(task.id, { kind: "continue", text: "Go on" });
    await delivery.taken();
    const codes = [
      [1, "TASK_AT_REST"],
      [3, "TASK_EXISTS"],
      [4, "COMMAND_UNKNOWN"],
      [5, "COMMAND_INVALID"],
      [6, "ASK_UNKNOWN"],
      [7, "OPTION_INVALID"],
      [8, "TASK_BUSY"],
    ];
    expect(refused).toEqual(codes);
    expect(await takenIn(rig)).toEqual([codes[0], [2, "task.start"], ...codes.slice(1)]);
    expect(inbox.rows).toEqual([]);
    expect(task.asks.map(({ id }) => id)).toEqual([ask.id]);
  });

  test("a command that changes nothing is recorded as taken", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const inbox = new MemoryInbox();
    await rig.task.run("Do it");
    const { delivery } = deliver(rig, inbox);
    await inbox.send(rig.task.id, { kind: "cancel" });
    await inbox.send(rig.task.id, { kind: "cancel" });
    await delivery.taken();
    expect((await takenIn(rig)).map(([position]) => position)).toEqual([1, 2]);
  });

  test("once, where they are delivered again to the next owner because they were not removed", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]`, mayReportErrors: true });
    const inbox = new MemoryInbox();
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    await inbox.send(rig.task.id, { kind: "message", text: "And quickly" });
    inbox.before = (operation) =>
      operation === "remove" ? Promise.reject(new Error("the database failed")) : Promise.resolve();
    const { delivery, errors } = deliver(rig, inbox);
    await expect(delivery.taken()).rejects.toThrow("the database failed");
    expect(errors).not.toEqual([]);
    await rig.host.close(rig.task.id);
    expect(inbox.rows.map(({ position }) => position)).toEqual([1, 2]);
    inbox.before = async () => {};
    const task = await rig.host.open(rig.task.id, { model: rig.model });
    expect(task.taken).toBe(2);
    await inbox.send(task.id, { kind: "message", text: "Go on" });
    const next = deliver(rig, inbox, task);
    await next.delivery.taken();
    expect((await takenIn(rig)).map(([position]) => position)).toEqual([1, 2, 3]);
    expect(next.errors).toEqual([]);
    expect(inbox.rows).toEqual([]);
  });

  test("a command that is added while the inbox is read is taken", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const inbox = new MemoryInbox();
    let reads = 0;
    inbox.before = async (operation) => {
      if (operation !== "after") return;
      reads += 1;
      // The rows were selected already.
      if (reads === 1) await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    };
    const settled = rig.task.settled();
    const { delivery } = deliver(rig, inbox);
    await settled;
    await delivery.taken();
    expect(await takenIn(rig)).toEqual([[1, "task.start"]]);
  });

  test("a command whose notification was lost is taken after the gap", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const inbox = new MemoryInbox();
    const { delivery } = deliver(rig, inbox);
    await delivery.taken();
    inbox.isNotifying = false;
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    const settled = rig.task.settled();
    inbox.gap();
    await settled;
    await delivery.taken();
    expect(await takenIn(rig)).toEqual([[1, "task.start"]]);
  });

  test("a read that fails is repeated without a notification", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const inbox = new MemoryInbox();
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    let isFailing = true;
    inbox.before = async () => {
      if (!isFailing) return;
      isFailing = false;
      throw new Error("the database failed");
    };
    const settled = rig.task.settled();
    const { errors } = deliver(rig, inbox);
    await settled;
    expect(errors).toHaveLength(1);
  });

  test("a task that is passive in between knows the position", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]`, host: { maxResident: 0 } });
    const inbox = new MemoryInbox();
    const { delivery } = deliver(rig, inbox);
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    const ask = await rig.ask("question");
    await delivery.taken();
    await rig.task.passivate();
    const settled = rig.task.settled();
    await inbox.send(rig.task.id, { kind: "answer", askId: ask.id, answer: { kind: "text", text: "left" } });
    expect(await settled).toMatchObject({ result: "Done." });
    await delivery.taken();
    expect((await takenIn(rig)).map(([position]) => position)).toEqual([1, 2]);
  });

  test("a breakpoint does not hold a command: its position would be recorded without its effect", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const inbox = new MemoryInbox();
    const { delivery } = deliver(rig, inbox);
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    const ask = await rig.ask("question");
    rig.task.breakpoints.set({ events: ["ask.answered"] });
    await inbox.send(rig.task.id, { kind: "answer", askId: ask.id, answer: { kind: "text", text: "left" } });
    await delivery.taken();
    expect(await takenIn(rig)).toEqual([
      [1, "task.start"],
      [2, "ask.answered"],
    ]);
  });

  test("a fork begins with an inbox of its own", async () => {
    await using rig = await openRig({ script: `[${DONE}, ${DONE}]` });
    const inbox = new MemoryInbox();
    const { delivery } = deliver(rig, inbox);
    const settled = rig.task.settled();
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    await settled;
    await delivery.taken();
    const { id } = await forkTask(fileHistory(rig.dataDir), rig.task.id);
    expect(await takenIn(rig, id)).toEqual([]);
    const fork = await rig.host.open(id, { model: rig.model });
    expect(fork.taken).toBe(0);
  });

  test("a closed task takes no command, and its delivery has stopped listening", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const inbox = new MemoryInbox();
    const { delivery, errors } = deliver(rig, inbox);
    await delivery.taken();
    await rig.task.close();
    expect(inbox.listeners).toBe(0);
    await inbox.send(rig.task.id, { kind: "start", prompt: "Do it" });
    await delivery.taken();
    expect([inbox.rows.length, errors]).toEqual([1, []]);
  });
});
