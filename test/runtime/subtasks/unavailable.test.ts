import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { createHost } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { fileJournal, type JournalDriver, JournalError } from "../../../store/index.ts";
import { allowEverything, builtinTools } from "../../../tools/index.ts";
import { messagesOf, type Rig } from "../../support/host.ts";
import { program } from "../../support/program.ts";
import {
  askOf,
  type Copy,
  Crash,
  completes,
  MODES,
  NOTE,
  Notes,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

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
const script = scriptByMode(...parent, ...child);

/** The files of a process that ended while the subtask waited for an answer. */
async function crashed(rig: Rig): Promise<Crash> {
  rig.task.run("Do it").catch(() => undefined);
  await askOf(rig.host, `${rig.task.id}.1`, "question");
  return new Crash(rig);
}

/** Resume the task and resolve where it settles. */
async function resume({ asks, settled }: { asks: Task["asks"]; settled: Promise<unknown> }): Promise<void> {
  const [ask] = asks;
  if (ask?.kind !== "resume") throw new Error(`The task rests on ${ask?.kind}.`);
  ask.approve();
  await settled;
}
const resumed = async ({ task }: Copy): Promise<void> => {
  await task.flushed();
  await resume({ asks: task.asks, settled: task.settled() });
};

/** The task rests with a reason, and its call still waits for the subtask. */
function expectPostponed(task: Task, reason: RegExp): void {
  expect(task.state.state).toBe("resumable");
  expect(task.snapshot.context.turn.calls.map(({ phase }) => phase)).toEqual(["delegated"]);
  expect(messagesOf(task).slice(-2)).toEqual(["say:error", "ask:resume_task"]);
  expect(task.log.at(-2)?.text).toMatch(reason);
  expect(subtaskResults(task)).toEqual([]);
}

/** With the next resume both tasks complete. */
async function expectCompleted(copy: Copy, notes: Notes): Promise<void> {
  const { task } = copy;
  await resumed(copy);
  expect(subtaskResults(task)).toEqual(["One done."]);
  expect(task.snapshot.context.result).toBe("All done.");
  expect(notes.count).toBe(0);
}

const message = async (from: ChildProcess): Promise<unknown> => (await once(from, "message"))[0];

describe("L16: a subtask that can't be opened now has not ended (LIFE-GAP-001)", () => {
  test("its parent rests with the reason while another process has it open, and gets its end with the next resume", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const crash = await crashed(rig);
    const notes = new Notes();
    const id = `${rig.task.id}.1`;
    const args = [path.join(crash.base, "data"), id, path.join(crash.base, "workspace"), rig.mock?.url ?? ""];
    const other = fork(await program(new URL("./subtask.child.ts", import.meta.url)), args);
    expect(await message(other)).toEqual({ type: "opened" });
    await using copy = await crash.open({ tools: [notes.tool] });
    for (const _attempt of ["first", "second"]) {
      await resumed(copy);
      expectPostponed(copy.task, new RegExp(`Locked by process ${other.pid}`));
    }
    const end = message(other);
    other.send("resume");
    expect(await end).toEqual({ type: "ended", notes: 0 });
    await resumed(copy);
    expect(subtaskResults(copy.task)).toEqual(["One done."]);
    expect(copy.task.snapshot.context.result).toBe("All done.");
    expect(notes.count).toBe(0);
  }, 60_000);

  test("its parent rests with the reason while another host of this process has it open", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const crash = await crashed(rig);
    const notes = new Notes();
    const other = createHost({ dataDir: path.join(crash.base, "data") });
    await other.open(`${rig.task.id}.1`, {
      model: anthropic({ model: "m", apiKey: "mock", baseURL: rig.mock?.url }),
      permissions: { judge: allowEverything() },
      modes: MODES,
      tools: [...builtinTools(), notes.tool],
      workspace: path.join(crash.base, "workspace"),
    });
    await using copy = await crash.open({ tools: [notes.tool] });
    await resumed(copy);
    expectPostponed(copy.task, /Locked by this process/);
    await other.closeAll();
    await expectCompleted(copy, notes);
  });

  test.each(["JOURNAL_DENIED", "JOURNAL_HANDLES", "JOURNAL_IO", "JOURNAL_VERSION"] as const)(
    "its parent is opened and rests with the reason while the journal can't be read: %s",
    async (code) => {
      await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
      const crash = await crashed(rig);
      const notes = new Notes();
      let isReadable = false;
      const journal = (taskId: string): JournalDriver => {
        const driver = fileJournal({ dir: path.join(crash.base, "data", "tasks", taskId) });
        if (taskId === rig.task.id) return driver;
        return {
          path: driver.path,
          own: () => driver.own(),
          append: (lines, options) => driver.append(lines, options),
          truncate: (length) => driver.truncate(length),
          release: () => driver.release(),
          close: () => driver.close(),
          async *read() {
            if (!isReadable) throw new JournalError(code, driver.path, "It can't be read for a moment.");
            yield* driver.read();
          },
        };
      };
      await using copy = await crash.open({ tools: [notes.tool] }, { journal });
      await resumed(copy);
      expectPostponed(copy.task, /can't be read for a moment/);
      isReadable = true;
      await expectCompleted(copy, notes);
    },
  );

  test("its parent rests with the reason where the lock appears between the look at the journal and its opening", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const crash = await crashed(rig);
    const notes = new Notes();
    const id = `${rig.task.id}.1`;
    const fileOf = (taskId: string) => fileJournal({ dir: path.join(crash.base, "data", "tasks", taskId) });
    const other = fileOf(id);
    let isFirst = true;
    const journal = (taskId: string): JournalDriver => {
      const driver = fileOf(taskId);
      if (taskId !== id) return driver;
      const own = driver.own.bind(driver);
      driver.own = async () => {
        if (isFirst) await other.own();
        isFirst = false;
        await own();
      };
      return driver;
    };
    await using copy = await crash.open({ tools: [notes.tool] }, { journal });
    await resumed(copy);
    expectPostponed(copy.task, /Locked by this process/);
    await other.close();
    await expectCompleted(copy, notes);
  });

  test("every task above one that waits rests, and resuming the root resumes them all", async () => {
    const deep = scriptByMode(
      ...parent,
      { mode: "one", after: "new_task", turn: completes("One done.") },
      { mode: "one", turn: subtask("two") },
      { mode: "two", after: "ask_followup_question", turn: completes("Two done.") },
      { mode: "two", turn: QUESTION },
    );
    await using rig = await openSubtaskRig(deep);
    rig.task.run("Do it").catch(() => undefined);
    const last = `${rig.task.id}.1.1`;
    await askOf(rig.host, last, "question");
    const crash = new Crash(rig);
    const other = fileJournal({ dir: path.join(crash.base, "data", "tasks", last) });
    await other.own();
    await using copy = await crash.open();
    await resumed(copy);
    expectPostponed(copy.task, /Locked by this process/);
    await other.close();
    await resumed(copy);
    expect(subtaskResults(copy.task)).toEqual(["One done."]);
  });
});
