import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../actors/protocol/edge.ts";
import { applyLogEvent, emptyLog } from "../../machines/message/log.ts";
import { type JournalDriver, JournalError, memoryJournal } from "../../store/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { DONE, openRig, type Rig } from "../support/host.ts";
import { scripted } from "../support/model.ts";

const write = "{ tool: write_to_file, input: { path: a.txt, content: hello } }";

/** What anyone can see of a task, without using its asks. */
const visible = ({ task }: Rig) => ({
  log: [...task.log],
  state: task.state,
  asks: task.asks.map(({ id, kind, text, accepts }) => ({ id, kind, text, accepts })),
  value: task.snapshot.value,
  context: {
    ...task.snapshot.context,
    log: [...task.log],
    conversation: [...task.snapshot.context.conversation],
  },
});

/** A task that waits for the approval of a call. */
async function waitingRig(options: Partial<Parameters<typeof openRig>[0]> = {}): Promise<Rig> {
  const rig = await openRig({ script: `[${write}, ${DONE}]`, ...options });
  rig.task.run("Write it").catch(() => undefined);
  await rig.ask("tool");
  await rig.task.flushed();
  return rig;
}

const fileOf = ({ dataDir, task }: Rig, name: string): string => path.join(dataDir, "tasks", task.id, name);

describe("PASSIVE: a task that is activated", () => {
  test("is the same task: state, messages, asks, context and journal", async () => {
    await using rig = await waitingRig();
    const before = visible(rig);
    const records = await readFile(fileOf(rig, "journal.jsonl"), "utf8");
    expect(await rig.task.passivate()).toBe(true);
    expect(visible(rig)).toEqual(before);
    await rig.task.flushed();
    expect(await readFile(fileOf(rig, "journal.jsonl"), "utf8")).toBe(records);
  });

  test("continues: subscribers of before receive its commits, once", async () => {
    await using rig = await waitingRig();
    const opened: number[] = [];
    rig.task.asks$.subscribe(({ id }) => opened.push(id));
    const [ask] = rig.task.asks;
    const settled = rig.task.settled();
    expect(await rig.task.passivate()).toBe(true);
    expect(rig.task.answer(ask?.id ?? 0, { kind: "yes" })).toEqual({ ok: true });
    const done = await rig.ask("completion");
    await rig.task.flushed();
    expect(await rig.task.passivate()).toBe(true);
    done.approve();
    expect((await settled).state).toBe("idle");
    expect(await rig.file("a.txt")).toBe("hello");
    expect(opened).toEqual([ask?.id, done.id]);
    // A message that is added twice, or a commit that is missing, makes another log.
    const events = rig.shown.flatMap(({ commit }) => commit.log);
    expect([...events.reduce(applyLogEvent, emptyLog)]).toEqual([...rig.task.log]);
  });

  test("is answered through an ask that was obtained before it was passive", async () => {
    await using rig = await waitingRig();
    const [ask] = rig.task.asks;
    expect(await rig.task.passivate()).toBe(true);
    expect(ask?.kind === "tool" && ask.approve()).toEqual({ ok: true });
    await rig.ask("completion");
    expect(ask?.kind === "tool" && ask.approve()).toMatchObject({
      ok: false,
      code: "ASK_ALREADY_ANSWERED",
    });
  });

  test("knows why an earlier ask takes no answer", async () => {
    await using rig = await waitingRig();
    const [ask] = rig.task.asks;
    rig.task.cancel();
    await rig.ask("resume");
    await rig.task.flushed();
    expect(await rig.task.passivate()).toBe(true);
    expect(rig.task.answer(ask?.id ?? 0, { kind: "yes" })).toMatchObject({ code: "ASK_CLOSED" });
    expect(rig.task.answer(1, { kind: "yes" })).toMatchObject({ code: "ASK_UNKNOWN" });
  });

  test.each([
    ["is missing", (file: string) => rm(file)],
    ["is cut", async (file: string) => writeFile(file, (await readFile(file, "utf8")).slice(0, -2))],
    ["is of another record", async (file: string) => writeFile(file, `1${await readFile(file, "utf8")}`)],
  ])("is read from its journal where its copy %s", async (_, damage) => {
    await using rig = await waitingRig();
    const before = visible(rig);
    expect(await rig.task.passivate()).toBe(true);
    await damage(fileOf(rig, "passive.json"));
    expect(visible(rig)).toEqual(before);
  });

  test("stays passive where its journal has other records than its own", async () => {
    await using rig = await waitingRig({ mayReportErrors: true });
    expect(await rig.task.passivate()).toBe(true);
    const journal = fileOf(rig, "journal.jsonl");
    const records = await readFile(journal, "utf8");
    await rm(fileOf(rig, "passive.json"));
    await writeFile(journal, records.slice(0, records.lastIndexOf("\n", records.length - 2) + 1));
    expect(() => rig.task.log).toThrow(expect.objectContaining({ code: "JOURNAL_CHANGED" }));
    await writeFile(journal, records);
    expect(rig.task.state.state).toBe("waiting_for_input");
  });

  test("is closed like any other, and its copy is removed", async () => {
    await using rig = await waitingRig();
    expect(await rig.task.passivate()).toBe(true);
    await rig.task.close();
    expect(rig.task.log.at(-1)).toMatchObject({ ask: "resume_task" });
    await expect(stat(fileOf(rig, "passive.json"))).rejects.toThrow("ENOENT");
  });
});

test("PASSIVE: closing a task whose journal is gone rejects, and frees the journal", async () => {
  await using rig = await waitingRig({ mayReportErrors: true });
  expect(await rig.task.passivate()).toBe(true);
  const journal = fileOf(rig, "journal.jsonl");
  const records = await readFile(journal, "utf8");
  await rm(fileOf(rig, "passive.json"));
  await writeFile(journal, "");
  await expect(rig.task.close()).rejects.toMatchObject({ code: "JOURNAL_CHANGED" });
  expect(rig.host.tasks.size).toBe(0);
  await expect(stat(fileOf(rig, "lock"))).rejects.toThrow("ENOENT");
  await writeFile(journal, records);
  expect(rig.task.log.at(-1)).toMatchObject({ ask: "tool" });
});

test("PASSIVE: a pause of all tasks reaches one that waits for an answer, and leaves one at rest passive", async () => {
  await using waiting = await waitingRig();
  expect(await waiting.task.passivate()).toBe(true);
  expect(waiting.host.pauseAll()).toEqual([waiting.task]);
  await waiting.task.flushed();
  expect(waiting.task.snapshot.context.pause).toBe("asked");
  await using rested = await waitingRig();
  rested.task.cancel();
  await rested.ask("resume");
  await rested.task.flushed();
  expect(await rested.task.passivate()).toBe(true);
  await rm(fileOf(rested, "passive.json"));
  const journal = fileOf(rested, "journal.jsonl");
  const records = await readFile(journal, "utf8");
  // An activation would throw.
  await writeFile(journal, "");
  expect(rested.host.pauseAll()).toEqual([]);
  await writeFile(journal, records);
});

describe("PASSIVE: a task whose journal is lost", () => {
  /** A journal that the test loses. */
  function losable() {
    const inner = memoryJournal();
    let onLost: (error: Error) => void = () => {};
    const driver: JournalDriver = {
      ...inner,
      onLost(listener) {
        onLost = listener;
      },
    };
    const error = new JournalError("JOURNAL_LOCKED", driver.path, "The lease was lost.");
    return { journal: () => driver, lose: () => onLost(error) };
  }

  test.each([
    ["at once", async () => {}],
    ["when it is used", async ({ task }: Rig) => void task.state],
  ])("comes to rest as a resident one: %s", async (_, use) => {
    const outcomes: unknown[] = [];
    for (const isPassive of [false, true]) {
      const { journal, lose } = losable();
      const clock = { now: () => 0, after: systemClock.after };
      await using rig = await waitingRig({ journal, host: { clock } });
      if (isPassive) expect(await rig.task.passivate()).toBe(true);
      const rested = rig.until(({ commit }) => commit.after.startsWith("resumable"));
      lose();
      await use(rig);
      const { durable, failure } = await rested;
      const { log, state, asks, value } = visible(rig);
      outcomes.push({ durable, failure, log, state, asks, value });
    }
    expect(outcomes[0]).toMatchObject({ durable: false, failure: { code: "JOURNAL_LOCKED" } });
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  test("stays passive at rest, and continues", async () => {
    const { journal, lose } = losable();
    let loads = 0;
    const counted = (): JournalDriver => {
      const driver = journal();
      const { passive } = driver;
      if (passive === undefined) return driver;
      const load = () => {
        loads += 1;
        return passive.load();
      };
      return { ...driver, passive: { ...passive, load } };
    };
    await using rig = await waitingRig({ journal: counted });
    rig.task.cancel();
    await rig.ask("resume");
    await rig.task.flushed();
    expect(await rig.task.passivate()).toBe(true);
    lose();
    await new Promise((resolve) => setImmediate(resolve));
    expect(loads).toBe(0);
    const [ask] = rig.task.asks;
    expect(ask?.kind === "resume" && ask.approve()).toEqual({ ok: true });
    await rig.task.flushed();
  });

  test("is reported where it can't be activated", async () => {
    const { journal, lose } = losable();
    const { passive, ...driver } = journal();
    if (passive === undefined) throw new Error("Expected storage for passive tasks.");
    let copy: Uint8Array | undefined;
    const load = () => copy;
    const { read: _read, ...kept } = passive;
    const save = (content: Uint8Array) => {
      copy = content;
      return passive.save(content);
    };
    await using rig = await waitingRig({
      journal: () => ({ ...driver, passive: { ...kept, load, save } }),
      mayReportErrors: true,
    });
    expect(await rig.task.passivate()).toBe(true);
    const saved = copy;
    copy = undefined;
    lose();
    await new Promise((resolve) => setImmediate(resolve));
    expect(rig.errors).toEqual([expect.objectContaining({ code: "JOURNAL_IO" })]);
    copy = saved;
    expect(rig.task.state.state).toBe("resumable");
  });
});

test("PASSIVE: a task that waits works for its host, and one at rest does not; both stay passive", async () => {
  await using waiting = await waitingRig();
  expect(await waiting.task.passivate()).toBe(true);
  const passive = fileOf(waiting, "passive.json");
  const journal = fileOf(waiting, "journal.jsonl");
  const records = await readFile(journal, "utf8");
  const copy = await readFile(passive, "utf8");
  // An activation would throw.
  await Promise.all([rm(passive), writeFile(journal, "")]);
  expect([waiting.task.isWorking, waiting.task.isWaiting]).toEqual([true, true]);
  await Promise.all([writeFile(passive, copy), writeFile(journal, records)]);
  waiting.task.cancel();
  await waiting.ask("resume");
  await waiting.task.flushed();
  expect(await waiting.task.passivate()).toBe(true);
  expect([waiting.task.isWorking, waiting.task.isWaiting]).toEqual([false, false]);
});

describe("PASSIVE: a task keeps its actors", () => {
  test("while it runs", async () => {
    await using rig = await openRig({ script: `[${write}, ${DONE}]`, policy: allowEverything() });
    const run = rig.task.run("Write it");
    await rig.until(({ commit }) => commit.after.startsWith("streaming"));
    expect(await rig.task.passivate()).toBe(false);
    expect((await run).state).toBe("idle");
  });

  test("before it starts", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    expect(await rig.task.passivate()).toBe(false);
  });

  test("while an observer or a breakpoint is set", async () => {
    await using rig = await waitingRig();
    const stop = rig.task.inspect(() => {});
    expect(await rig.task.passivate()).toBe(false);
    stop();
    rig.task.breakpoints.set({ events: ["tool.finished"] });
    expect(await rig.task.passivate()).toBe(false);
    rig.task.breakpoints.set({});
    expect(await rig.task.passivate()).toBe(true);
    rig.task.breakpoints.set({ events: ["ask.answered"] });
    const [ask] = rig.task.asks;
    if (ask?.kind === "tool") ask.approve();
    expect(rig.task.breakpoints.held.map(({ type }) => type)).toEqual(["ask.answered"]);
    rig.task.breakpoints.set({});
  });

  test("while its ask expires", async () => {
    const expiry = () => ({ afterMs: 1e9, answer: { kind: "no" }, rule: "late" }) as const;
    await using rig = await waitingRig({ expiry });
    expect(await rig.task.passivate()).toBe(false);
  });

  test("where its journal can't be read synchronously", async () => {
    const { passive: _passive, ...driver } = memoryJournal();
    const journal = () => driver;
    await using rig = await waitingRig({ journal });
    expect(await rig.task.passivate()).toBe(false);
  });

  test("when it has just been reopened: its first commit is in the journal before", async () => {
    await using rig = await waitingRig({ host: { maxResident: 0 } });
    await rig.host.close(rig.task.id);
    const again = await rig.host.open(rig.task.id, { model: scripted([]) });
    expect(again.log.at(-1)).toMatchObject({ ask: "resume_task" });
    await again.passivate();
    expect(again.log.at(-1)).toMatchObject({ ask: "resume_task" });
    expect(again.asks.map(({ kind }) => kind)).toEqual(["resume"]);
  });

  test("when it is used while its copy is written", async () => {
    await using rig = await waitingRig();
    const passive = rig.task.passivate();
    rig.task.queue("And this");
    expect(await passive).toBe(false);
    await rig.task.flushed();
    expect(await rig.task.passivate()).toBe(true);
    expect(rig.task.snapshot.context.queue).toHaveLength(1);
  });
});
