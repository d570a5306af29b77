import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { filter, firstValueFrom, lastValueFrom, NEVER } from "rxjs";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../actors/index.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { fileJournal } from "../../../store/index.ts";
import { messagesOf, type Rig, type RigOptions, writersGone } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";
import {
  askOf,
  atCommit,
  Crash,
  completes,
  memoryJournals,
  openedTask,
  openSubtaskRig,
  QUESTION,
  type Step,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const causedBy =
  (type: string) =>
  ({ commit }: TaskCommit): boolean =>
    commit.cause?.type === type;

/** Half a sentence, and silence. */
const STALLS = `{ stallMs: 600000, after: 1 }, { text: "I begin to say something", chunk: 8 }`;

interface Work {
  readonly turn: string;
  /** The commit that shows the work. */
  readonly when: (shown: TaskCommit) => boolean;
}

/** What the last task of the tree does when the root is cancelled. */
const WORK: Readonly<Record<string, Work>> = {
  "streams a response that never ends": { turn: STALLS, when: causedBy("llm.text.delta") },
  "runs a command": {
    turn: '{ tool: execute_command, input: { command: "exec 9>alive; echo begun; sleep 300" } }',
    when: causedBy("tool.output"),
  },
  "waits to retry": { turn: "{ status: 529 }", when: ({ commit }) => commit.after === "running.retrying" },
  asks: { turn: QUESTION, when: ({ commit }) => commit.after === "waiting_for_input.answer" },
};
const works = Object.entries(WORK);

/** A root, a subtask and the subtask of that one; `two` are the turns of the last. */
const nested = (...two: readonly Step[]): string =>
  scriptByMode(
    { mode: "code", after: "new_task", turn: STALLS },
    { mode: "code", turn: subtask("one") },
    { mode: "one", after: "new_task", turn: STALLS },
    { mode: "one", turn: subtask("two") },
    ...two,
  );

/** The system's clock, which counts the timers that fire. */
class CountingClock implements Clock {
  fired = 0;
  now = systemClock.now;

  after(delayMs: number, fire: () => void, options?: Parameters<Clock["after"]>[2]): () => void {
    const counted = (): void => {
      this.fired += 1;
      fire();
    };
    return systemClock.after(delayMs, counted, options);
  }
}

async function openTree(script: string, options: Partial<RigOptions> = {}) {
  const clock = new CountingClock();
  const rig = await openSubtaskRig(script, {
    limits: { retryDelayMs: 600_000, retryDelayMaxMs: 600_000 },
    host: { clock },
    ...options,
  });
  return { rig, clock };
}

/** The next commit of each task. */
const nextCommits = (tasks: readonly Task[]): Promise<readonly TaskCommit[]> =>
  Promise.all(tasks.map(({ events$ }) => firstValueFrom(events$)));

/**
 * Cancel and assert that the next event of every open task settles it, that no timer fires until the host is closed, and
 * that the server gets no further request.
 */
async function expectEnds({ host, mock }: Rig, clock: CountingClock, cancel: () => void): Promise<void> {
  const requests = mock?.requests.length;
  const { fired } = clock;
  const tasks = [...host.tasks.values()];
  const settling = nextCommits(tasks);
  cancel();
  const ends = (await settling).map(({ commit }) => [commit.cause?.type, commit.after]);
  expect(ends).toEqual(tasks.map(() => ["task.cancel", "resumable"]));
  expect(clock.fired).toBe(fired);
  await host.closeAll();
  expect(tasks.map(({ state }) => state.state)).toEqual(tasks.map(() => "resumable"));
  expect(mock?.requests).toHaveLength(requests ?? 0);
}

describe("L10, L16: a cancel of the root ends every descendant synchronously, and no request follows (field failure 11),", () => {
  test.each(works)("while the last of three nested tasks %s", async (_, { turn, when }) => {
    const { rig, clock } = await openTree(nested({ mode: "two", turn }));
    await using opened = rig;
    const { host, task } = opened;
    const gone = turn.includes("exec 9>alive") ? writersGone(rig.dir) : undefined;
    const end = task.run("Do it");
    await atCommit(host, `${task.id}.1.1`, when);
    expect(host.stack(task.id)).toHaveLength(3);
    await expectEnds(rig, clock, () => task.cancel());
    expect(await end).toMatchObject({ state: "resumable" });
    await gone;
  });

  test.each(works)(
    "while a subtask that no task waits for, and that a user resumed, %s",
    async (_, { turn, when }) => {
      const { rig, clock } = await openTree(
        scriptByMode(
          { mode: "code", after: "new_task", turn: STALLS },
          { mode: "code", turn: subtask("one") },
          { mode: "one", to: "later", turn },
          { mode: "one", turn: QUESTION },
        ),
      );
      await using opened = rig;
      const { host, task } = opened;
      const gone = turn.includes("exec 9>alive") ? writersGone(rig.dir) : undefined;
      const end = task.run("Do it");
      await askOf(host, `${task.id}.1`, "question");
      const detached = await openedTask(host, `${task.id}.1`);
      const rootStreams = atCommit(host, task.id, causedBy("llm.text.delta"));
      detached.cancel();
      await rootStreams;
      expect(host.stack(task.id)).toEqual([task]);
      const working = firstValueFrom(detached.events$.pipe(filter(when)));
      const ends = detached.run("later");
      await working;
      await expectEnds(rig, clock, () => task.cancel());
      expect(await end).toMatchObject({ state: "resumable" });
      expect(await ends).toMatchObject({ state: "resumable" });
      await gone;
    },
  );

  test("also by an abort of the signal of its run", async () => {
    const { rig, clock } = await openTree(nested({ mode: "two", turn: STALLS }));
    await using opened = rig;
    const user = new AbortController();
    const end = opened.task.run("Do it", { signal: user.signal });
    await atCommit(rig.host, `${rig.task.id}.1.1`, causedBy("llm.text.delta"));
    await expectEnds(rig, clock, () => user.abort());
    expect(await end).toMatchObject({ state: "resumable" });
  });

  test("also while the root is at rest", async () => {
    const { rig, clock } = await openTree(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        { mode: "one", to: "later", turn: STALLS },
        { mode: "one", turn: QUESTION },
      ),
    );
    await using opened = rig;
    const { host, task } = opened;
    const end = task.run("Do it");
    await askOf(host, `${task.id}.1`, "question");
    const detached = await openedTask(host, `${task.id}.1`);
    detached.cancel();
    expect(await end).toMatchObject({ state: "idle" });
    const streams = atCommit(host, detached.id, causedBy("llm.text.delta"));
    const ends = detached.run("later");
    await streams;
    const requests = rig.mock?.requests.length ?? 0;
    const { fired } = clock;
    const settling = nextCommits([detached]);
    task.cancel();
    expect(await settling).toMatchObject([{ commit: { cause: { type: "task.cancel" } } }]);
    expect(await ends).toMatchObject({ state: "resumable" });
    expect(task.state.state).toBe("idle");
    expect(clock.fired).toBe(fired);
    await host.closeAll();
    expect(rig.mock?.requests).toHaveLength(requests);
  });

  test("also while the root is passive and its journal is damaged", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "code", after: "new_task", turn: QUESTION },
        { mode: "code", turn: subtask("one") },
        { mode: "one", to: "later", turn: STALLS },
        { mode: "one", turn: QUESTION },
      ),
      { host: { maxResident: 1000 } },
    );
    const { host, task } = rig;
    task.run("Do it").catch(() => undefined);
    await askOf(host, `${task.id}.1`, "question");
    const detached = await openedTask(host, `${task.id}.1`);
    detached.cancel();
    await rig.ask("question");
    const streams = atCommit(host, detached.id, causedBy("llm.text.delta"));
    const ends = detached.run("later");
    await streams;
    await task.flushed();
    expect(await task.passivate()).toBe(true);
    const folder = path.join(rig.dataDir, "tasks", task.id);
    const journal = path.join(folder, "journal.jsonl");
    const records = await readFile(journal);
    await rm(path.join(folder, "passive.json"));
    await writeFile(journal, "");
    expect(() => task.cancel()).toThrow(expect.objectContaining({ code: "JOURNAL_CHANGED" }));
    expect(await ends).toMatchObject({ state: "resumable" });
    await writeFile(journal, records);
  });

  test("also of a subtask whose ended parent is closed", async () => {
    const { rig, clock } = await openTree(
      scriptByMode(
        { mode: "code", after: "new_task", turn: STALLS },
        { mode: "code", turn: subtask("one") },
        { mode: "one", after: "new_task", turn: completes("One done.") },
        { mode: "one", turn: subtask("two") },
        { mode: "two", to: "later", turn: STALLS },
        { mode: "two", turn: QUESTION },
      ),
    );
    await using opened = rig;
    const { host, task } = opened;
    const end = task.run("Do it");
    await askOf(host, `${task.id}.1.1`, "question");
    const detached = await openedTask(host, `${task.id}.1.1`);
    const rootStreams = atCommit(host, task.id, causedBy("llm.text.delta"));
    detached.cancel();
    await rootStreams;
    await host.close(`${task.id}.1`);
    expect([...host.tasks.keys()]).toEqual([task.id, detached.id]);
    const streams = firstValueFrom(detached.events$.pipe(filter(causedBy("llm.text.delta"))));
    const ends = detached.run("later");
    await streams;
    await expectEnds(rig, clock, () => task.cancel());
    await Promise.all([end, ends]);
  });

  test("and closes the task that is being created, without a request of it", async () => {
    const creating = deferred();
    const created = deferred();
    const journals = memoryJournals();
    const { rig, clock } = await openTree(nested({ mode: "two", turn: STALLS }), {
      journal: (taskId) => {
        const driver = journals(taskId);
        if (!taskId.endsWith(".1.1")) return driver;
        // Its journal is read before it is created.
        return {
          ...driver,
          async *read(...options) {
            creating.resolve();
            await created.promise;
            yield* driver.read(...options);
          },
        };
      },
    });
    await using opened = rig;
    const { host, task } = opened;
    const seen: Task[] = [];
    host.opened$.subscribe((each) => seen.push(each));
    const end = task.run("Do it");
    await creating.promise;
    expect([...host.tasks.keys()]).toEqual([task.id, `${task.id}.1`]);
    const requests = rig.mock?.requests.length ?? 0;
    const { fired } = clock;
    const closed = lastValueFrom(seen[0]?.events$ ?? NEVER);
    task.cancel();
    created.resolve();
    expect(await end).toMatchObject({ state: "resumable" });
    // It is closed after its own subtask.
    await closed;
    expect([...host.tasks.keys()]).toEqual([task.id]);
    expect(clock.fired).toBe(fired);
    await host.closeAll();
    expect(rig.mock?.requests).toHaveLength(requests);
    expect(seen.map(({ id }) => id)).toEqual([`${task.id}.1`, `${task.id}.1.1`]);
    expect(seen[1]?.log).toHaveLength(0);
  });

  test("and does not resume the subtask that it was about to resume", async () => {
    await using rig = await openSubtaskRig(nested({ mode: "two", turn: QUESTION }));
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, `${rig.task.id}.1.1`, "question");
    const crash = new Crash(rig);
    const childId = `${rig.task.id}.1`;
    let cancel = (): void => {};
    const journal = (taskId: string) => {
      const driver = fileJournal({ dir: path.join(crash.base, "data", "tasks", taskId) });
      const read = driver.read.bind(driver);
      return Object.assign(driver, {
        async *read(...options: Parameters<typeof read>) {
          yield* read(...options);
          if (taskId === childId) cancel();
        },
      });
    };
    await using copy = await crash.open({}, { journal });
    const { host, task } = copy;
    const requests = rig.mock?.requests.length ?? 0;
    const opened = openedTask(host, childId);
    const end = task.run();
    const child = await opened;
    const messages = messagesOf(child);
    // It is open, and its journal is read once more: that may have its end.
    cancel = () => task.cancel();
    expect(await end).toMatchObject({ state: "resumable" });
    await host.closeAll();
    expect(messagesOf(child)).toEqual(messages);
    expect(rig.mock?.requests).toHaveLength(requests);
  });
});

test("L10, L16: a cancel of a subtask ends the tasks below it, and no other", async () => {
  await using rig = await openSubtaskRig(
    scriptByMode(
      { mode: "code", after: "new_task", turn: STALLS },
      { mode: "code", turn: subtask("one") },
      { mode: "one", to: "later", turn: QUESTION },
      { mode: "one", turn: QUESTION },
    ),
  );
  const { host, task } = rig;
  task.run("Do it").catch(() => undefined);
  await askOf(host, `${task.id}.1`, "question");
  const child = await openedTask(host, `${task.id}.1`);
  const rootStreams = atCommit(host, task.id, causedBy("llm.text.delta"));
  child.cancel();
  await rootStreams;
  const end = child.run("later");
  await firstValueFrom(child.asks$.pipe(filter(({ kind }) => kind === "question")));
  child.cancel();
  expect(await end).toMatchObject({ state: "resumable" });
  expect(task.state.state).toBe("streaming");
});
