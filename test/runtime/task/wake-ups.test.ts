import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ChatModel } from "../../../ports/model.ts";
import { createHost } from "../../../runtime/host.ts";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { MemoryStore, memoryJournal } from "../../../store/index.ts";
import { allowEverything, builtinTools } from "../../../tools/index.ts";
import { wholeLines } from "../../crash/records.ts";
import { messagesOf, openRig, type Rig, resultsOf, textsOf } from "../../support/host.ts";
import { type StillClock, stillClock } from "../../support/still-clock.ts";
import { completes, MODES, openedTask, scriptByMode, subtask } from "../../support/subtasks.ts";

const MINUTE = 60_000;
const TEXTS = "[{ text: Zero. }, { text: One. }, { text: Two. }, { text: Three. }]";

interface Still extends Rig {
  readonly clock: StillClock;
}

/** A rig whose time stands still until the test moves it. */
async function openStill(options: Parameters<typeof openRig>[0] = {}): Promise<Still> {
  const clock = stillClock();
  const rig = await openRig({ script: TEXTS, ...options, host: { clock, ...options.host } });
  return Object.assign(rig, { clock });
}

const wakeUpsOf = ({ snapshot }: Pick<Rig["task"], "snapshot">) => snapshot.context.wakeUps;
const noticeOf = (id: string, message: string): string => `<wake_up>\nId: ${id}\n${message}\n</wake_up>`;
const wokenTimes = (task: Rig["task"]): number =>
  messagesOf(task).filter((message) => message === "say:wake_up").length;

/** Calls a function in a microtask, unless it is cancelled. */
function soon(fire: () => void): () => void {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) fire();
  });
  return () => {
    isCancelled = true;
  };
}

/** The end of the work that the passing time begins. */
async function afterTime({ clock }: Pick<Still, "clock">, task: Rig["task"], ms: number) {
  const end = task.settled();
  clock.advance(ms);
  return end;
}

/** Schedules a wake-up and returns its id, once it is recorded. */
async function scheduled(task: Rig["task"], ...[at, message, options]: Parameters<Rig["task"]["wakeAt"]>) {
  const result = task.wakeAt(at, message, options);
  if (!result.ok) throw new Error(result.message);
  await task.flushed();
  return result.id;
}

describe.each([
  ["resident", {}],
  ["passivated after each commit", { maxResident: 0 }],
] as const)("a task at rest that is %s (WAKE)", (_, host) => {
  test("continues at the time of its wake-up, once, with the message", async () => {
    await using rig = await openStill({ host });
    const { task, clock } = rig;
    await task.run("Go");
    const id = await scheduled(task, 5 * MINUTE, "Look at the build.");
    expect(wakeUpsOf(task)).toEqual([{ id, at: 5 * MINUTE, message: "Look at the build." }]);
    clock.advance(4 * MINUTE);
    expect(await afterTime(rig, task, MINUTE)).toMatchObject({ result: "One." });
    expect(textsOf(rig.sent()[1] ?? [])).toEqual([noticeOf(id, "Look at the build.")]);
    expect(wakeUpsOf(task)).toEqual([]);
    clock.advance(100 * MINUTE);
    expect(rig.sent()).toHaveLength(2);
  });

  test("continues at each interval", async () => {
    await using rig = await openStill({ host, wakeUp: { everyMs: 10 * MINUTE, message: "Look around." } });
    const { task } = rig;
    await task.run("Go");
    expect(await afterTime(rig, task, 10 * MINUTE)).toMatchObject({ result: "One." });
    expect(await afterTime(rig, task, 10 * MINUTE)).toMatchObject({ result: "Two." });
    expect(wakeUpsOf(task)).toMatchObject([{ id: "standing", at: 30 * MINUTE }]);
  });
});

test("a passive task holds no actor until its time", async () => {
  await using rig = await openStill();
  const { task } = rig;
  await task.run("Go");
  await scheduled(task, 5 * MINUTE, "Look.");
  expect(await task.passivate()).toBe(true);
  expect(await afterTime(rig, task, 5 * MINUTE)).toMatchObject({ result: "One." });
});

test("a new task has the wake-ups that are scheduled before its first run", async () => {
  await using rig = await openStill();
  const { task, clock } = rig;
  await scheduled(task, MINUTE, "Look.");
  clock.advance(2 * MINUTE);
  expect(task.state.state).toBe("no_task");
  expect(await task.run("Go")).toMatchObject({ result: "Zero." });
  expect(await afterTime(rig, task, 0)).toMatchObject({ result: "One." });
});

test("a time that comes while the task works counts when it rests next", async () => {
  const question =
    "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";
  await using rig = await openStill({ script: `[${question}, { text: One. }, { text: Two. }]` });
  const { task, clock } = rig;
  const rested = firstValueFrom(task.events$.pipe(filter(({ commit }) => commit.reports.length > 0)));
  const first = task.run("Go", { onAsk: () => {} });
  const ask = await rig.ask("question");
  await scheduled(task, MINUTE, "Look.");
  clock.advance(5 * MINUTE);
  expect(task.state.state).toBe("waiting_for_input");
  ask.answer("left");
  expect(await first).toMatchObject({ result: "One." });
  await rested;
  expect(await afterTime(rig, task, 0)).toMatchObject({ result: "Two." });
  expect(wokenTimes(task)).toBe(1);
});

test("a paused task continues at its time only after a person has resumed it (PAUSE)", async () => {
  const reads = "[{ tool: read_file, input: { path: notes.md } }, { text: Read. }, { text: Woken. }]";
  await using rig = await openStill({ script: reads, files: { "notes.md": "A note." } });
  const { task, clock } = rig;
  const started = rig.until(({ commit }) => commit.effects.some(({ effect }) => effect === "tool"));
  const end = task.run("Go");
  await started;
  expect(task.pause()).toEqual({ ok: true });
  expect((await end).state).toBe("resumable");
  await scheduled(task, MINUTE, "Look.");
  clock.advance(5 * MINUTE);
  expect(wokenTimes(task)).toBe(0);
  expect(await task.run()).toMatchObject({ result: "Read." });
  expect(await afterTime(rig, task, 0)).toMatchObject({ result: "Woken." });
});

test("a task whose budget is spent sends no request at its time, and rests at the limit (BUDGET)", async () => {
  await using rig = await openStill({ budget: { requests: 1 } });
  await rig.task.run("Go");
  await scheduled(rig.task, MINUTE, "Look.");
  expect(await afterTime(rig, rig.task, MINUTE)).toMatchObject({ state: "idle" });
  expect(rig.task.state.currentAsk).toBe("auto_approval_max_req_reached");
  expect(rig.sent()).toHaveLength(1);
});

describe("a time that passes while the task is not open (WAKE)", () => {
  test("counts once when it is opened, also of an interval", async () => {
    await using rig = await openStill({ wakeUp: { everyMs: 10 * MINUTE, message: "Look." } });
    const { host, clock, task } = rig;
    await task.run("Go");
    await scheduled(task, 5 * MINUTE, "Once.");
    await host.close(task.id);
    clock.advance(45 * MINUTE);
    const reopened = await host.open(task.id, { model: rig.model });
    expect(reopened.state.currentAsk).toBe("resume_completed_task");
    expect(await afterTime(rig, reopened, 0)).toMatchObject({ result: "One." });
    expect(wokenTimes(reopened)).toBe(2);
    expect(wakeUpsOf(reopened)).toMatchObject([{ id: "standing", at: 50 * MINUTE }]);
    expect(await afterTime(rig, reopened, 5 * MINUTE)).toMatchObject({ result: "Two." });
  });

  test("counts although it comes due before the host has the task open", async () => {
    const clock = stillClock();
    /** A timer that is due at once fires before the promise of `open` resolves. */
    const eager: Clock = {
      ...clock,
      after: (delayMs, fire) => (delayMs === 0 ? soon(fire) : clock.after(delayMs, fire)),
    };
    await using rig = await openRig({ script: TEXTS, host: { clock: eager } });
    const { host, task } = rig;
    await task.run("Go");
    await scheduled(task, 5 * MINUTE, "Look.");
    await host.close(task.id);
    clock.advance(10 * MINUTE);
    const reopened = await host.open(task.id, { model: rig.model });
    expect(await reopened.settled()).toMatchObject({ result: "One." });
    expect(wokenTimes(reopened)).toBe(1);
  });

  test("counts in a fork that continues with the ask of its original", async () => {
    await using rig = await openStill();
    const { host, task } = rig;
    await task.run("Go");
    await scheduled(task, 5 * MINUTE, "Look.");
    const { seq, snapshot } = rig.shown.at(-1) ?? expect.fail("no commit");
    const { id } = await openHistory({ dataDir: rig.dataDir }).fork(task.id, { at: seq });
    await host.close(task.id);
    const fork = await host.openFork(id, snapshot, { model: rig.model });
    expect(await afterTime(rig, fork, 5 * MINUTE)).toMatchObject({ result: "One." });
    expect(wokenTimes(fork)).toBe(1);
  });

  test("is cleared by a person", async () => {
    await using rig = await openStill();
    const { host, clock, task } = rig;
    await task.run("Go");
    const id = await scheduled(task, 5 * MINUTE, "Once.");
    expect(task.clearWakeUps("other")).toMatchObject({ ok: false, code: "WAKE_UP_UNKNOWN" });
    expect(task.clearWakeUps(id)).toEqual({ ok: true });
    await host.close(task.id);
    clock.advance(45 * MINUTE);
    const reopened = await host.open(task.id, { model: rig.model });
    expect(wakeUpsOf(reopened)).toEqual([]);
    expect(reopened.clearWakeUps()).toEqual({ ok: true });
  });
});

describe("a wake-up that can't be scheduled", () => {
  test("is refused with the limit that it exceeds (L14)", async () => {
    await using rig = await openStill({ limits: { wakeUps: 1 } });
    const { task } = rig;
    await task.run("Go");
    expect(task.wakeAt(MINUTE, "x", { everyMs: 1_000 })).toMatchObject({ code: "WAKE_UP_REFUSED" });
    expect(task.wakeAt(MINUTE, "x".repeat(4_001))).toMatchObject({
      code: "WAKE_UP_REFUSED",
      message: expect.stringContaining("wakeUpChars"),
    });
    expect(task.wakeAt(new Date(MINUTE), "x")).toMatchObject({ ok: true });
    expect(task.wakeAt(MINUTE, "x")).toMatchObject({
      code: "WAKE_UP_REFUSED",
      message: expect.stringContaining("`wakeUps`"),
    });
  });

  test("is an error if its time or its interval is none", async () => {
    await using rig = await openStill();
    for (const time of [Number.NaN, -1, new Date("never")])
      expect(() => rig.task.wakeAt(time, "x")).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    expect(() => rig.task.wakeAt(1, "x", { everyMs: 0 })).toThrow("everyMs");
    const { model, dir: workspace } = rig;
    const wakeUp = { everyMs: 1, message: "x" };
    await expect(rig.host.create({ model, workspace, wakeUp })).rejects.toThrow(
      "wakeUp: Expected an interval",
    );
  });

  test("is refused by a closed task", async () => {
    await using rig = await openStill();
    await rig.task.close();
    expect(rig.task.wakeAt(1, "x")).toMatchObject({ code: "TASK_CLOSED" });
    expect(rig.task.clearWakeUps()).toMatchObject({ code: "TASK_CLOSED" });
  });
});

describe("the tools of wake-ups", () => {
  const tools = builtinTools({ include: ["schedule_wakeup", "cancel_wakeup"] });
  const schedule = (input: string): string =>
    `{ tool: schedule_wakeup, input: { message: Look., ${input} } }`;
  const requestOf = ({ mock }: Rig, request: number): string => JSON.stringify(mock?.requests[request]?.body);

  test("schedule and cancel the task's wake-ups", async () => {
    const script = `[${schedule("after_minutes: 5, every_minutes: 60")}, { text: Zero. }, { tool: cancel_wakeup, input: { id: "1" } }, { text: One. }]`;
    await using rig = await openStill({ script, tools, policy: allowEverything() });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Zero." });
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([
      expect.stringContaining("The wake-up 1 is due in 5 minutes, and then every 60 minutes."),
    ]);
    expect(await afterTime(rig, rig.task, 5 * MINUTE)).toMatchObject({ result: "One." });
    expect(resultsOf(rig.sent()[3] ?? [])).toEqual(["Cancelled: 1."]);
    expect(wakeUpsOf(rig.task)).toEqual([]);
  });

  test("are asked about, where nothing permits them", async () => {
    await using rig = await openStill({
      script: `[${schedule("after_minutes: 5")}, { text: Zero. }]`,
      tools,
    });
    const end = rig.task.run("Go", { onAsk: (ask) => void (ask.kind === "tool" && ask.approve()) });
    expect(await end).toMatchObject({ result: "Zero." });
    expect(wakeUpsOf(rig.task)).toHaveLength(1);
    expect(messagesOf(rig.task)).toContain("ask:tool (answered)");
  });

  test("are offered to no subtask, and refused where one calls them", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "schedule_wakeup", turn: completes("One done.") },
      { mode: "one", turn: schedule("after_minutes: 5") },
    );
    const given = { script, tools, policy: allowEverything(), modes: MODES, completion: "tool" } as const;
    await using rig = await openStill(given);
    const end = rig.task.run("Go");
    const child = await openedTask(rig.host, `${rig.task.id}.1`);
    expect(child.wakeAt(MINUTE, "x")).toMatchObject({ ok: false, code: "WAKE_UP_OF_SUBTASK" });
    expect(await end).toMatchObject({ result: "All done." });
    expect(requestOf(rig, 0)).toContain("cancel_wakeup");
    expect(requestOf(rig, 1)).not.toContain("cancel_wakeup");
    expect(requestOf(rig, 2)).toContain("A subtask has no wake-ups");
  });
});

describe("a process that is killed after any record (WAKE, L11)", () => {
  /** The bytes of a journal up to each record. */
  const prefixesOf = (journal: Buffer): readonly Buffer[] => {
    let at = 0;
    return wholeLines(journal).map((line) => {
      at += line.length + 1;
      return journal.subarray(0, at);
    });
  };
  const isScheduled = (journal: Buffer): boolean => journal.includes('"wakeUps":[{');
  const clockAt = (ms: number): StillClock => {
    const clock = stillClock();
    clock.advance(ms);
    return clock;
  };
  const hostOver = (content: Buffer, clock: StillClock) => {
    const store = new MemoryStore(content);
    const host = createHost({ clock, journal: () => memoryJournal({ store }) });
    return { host, journal: () => Buffer.concat(store.chunks()) };
  };
  const model: ChatModel = {
    id: "texts",
    async *stream({ messages }) {
      const isFirst = messages.every(({ role }) => role === "user");
      yield { type: "text.delta", text: isFirst ? "Zero." : "One." };
      yield { type: "block.end" };
      yield { type: "finished", stopReason: "end_turn", usage: NO_USAGE };
    },
  };
  const options = { model, workspace: false } as const;

  test("a due time continues the task once, before the end of the process or after it", async () => {
    const clock = clockAt(1);
    const { host, journal } = hostOver(Buffer.alloc(0), clock);
    const task = await host.create({ ...options, id: "t" });
    await task.run("Go");
    await scheduled(task, 5 * MINUTE, "Look.");
    expect(await afterTime({ clock }, task, 5 * MINUTE)).toMatchObject({ result: "One." });
    const whole = journal();
    await host.closeAll();
    const prefixes = prefixesOf(whole).slice(1);
    for (const prefix of prefixes) {
      const later = clockAt(60 * MINUTE);
      const next = hostOver(prefix, later);
      const reopened = await next.host.open("t", options);
      if (wakeUpsOf(reopened).length > 0) await afterTime({ clock: later }, reopened, 0);
      expect(wakeUpsOf(reopened)).toEqual([]);
      later.advance(60 * MINUTE);
      expect(wokenTimes(reopened)).toBe(isScheduled(prefix) ? 1 : 0);
      await next.host.closeAll();
    }
    expect(prefixes.filter(isScheduled).length).toBeGreaterThan(5);
    expect(prefixes.filter((prefix) => !isScheduled(prefix)).length).toBeGreaterThan(5);
  });
});
