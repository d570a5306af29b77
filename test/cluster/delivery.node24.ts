import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHost, fileJournal, type JournalDriver, JournalError, type Task } from "signalbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deferred } from "../../cluster/deferred.ts";
import { wasInterrupted } from "../../cluster/worker/interrupted.ts";
import { createWorker, type TaskInbox, type WorkerOptions } from "../../cluster/worker/worker.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { WakeHandler, Wakes } from "../../ports/wakes.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "deliveries-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const complete = (result: string) => scriptedToolCall("attempt_completion", { result });
const journal = (taskId: string): JournalDriver => fileJournal({ dir: path.join(folder, taskId) });

/** A task that has completed and is closed. */
async function completedTask(id: string): Promise<string> {
  const host = createHost({ journal });
  const model = scriptedModel([complete("Ready.")]);
  const task = await host.create({ id, model, workspace: false, completion: "tool" });
  await task.run("Begin");
  await host.closeAll();
  return id;
}

/** Wakes in memory: those of a task that nobody works on are one. */
class MemoryWakes implements Wakes {
  readonly later: [task: string, at: number][] = [];
  readonly #waiting = new Set<string>();
  readonly #held = new Set<string>();
  readonly #stop = new AbortController();
  #handler: WakeHandler | undefined;

  async wake(taskId: string, at?: number): Promise<void> {
    if (at !== undefined) this.later.push([taskId, at]);
    else this.#waiting.add(taskId);
    this.#look();
  }

  async work(handler: WakeHandler) {
    this.#handler = handler;
    this.#look();
    return { stop: async () => this.#stop.abort() };
  }

  async close(): Promise<void> {}

  #look(): void {
    for (const task of this.#waiting) {
      if (this.#handler === undefined || this.#held.has(task)) continue;
      this.#waiting.delete(task);
      this.#held.add(task);
      void this.#handler(task, this.#stop.signal).finally(() => {
        this.#held.delete(task);
        this.#look();
      });
    }
  }
}

const start = (options: Pick<WorkerOptions, "wakes"> & Partial<WorkerOptions>) =>
  createWorker({
    store: { journal, close: async () => {} },
    task: { model: scriptedModel([complete("Done.")]), workspace: false },
    idleMs: 0,
    drainMs: 0,
    ...options,
  });

test("a command that arrives while the task is closed is delivered when it is opened again", async () => {
  const id = await completedTask("closing");
  const wakes = new MemoryWakes();
  const commands: string[] = [];
  const delivered = deferred();
  let closings = 0;
  const inbox: TaskInbox = {
    async deliver() {
      if (commands.splice(0).length > 0) delivered.resolve();
      return true;
    },
    watch: () => () => {},
  };
  const closing = (taskId: string): JournalDriver => {
    const driver = journal(taskId);
    const close = driver.close.bind(driver);
    driver.close = async () => {
      closings += 1;
      if (closings === 1) {
        commands.push("a command");
        await wakes.wake(id);
      }
      await close();
    };
    return driver;
  };
  const worker = await start({ wakes, inbox, store: { journal: closing, close: async () => {} } });
  await wakes.wake(id);
  await delivered.promise;
  await worker.drain();
});

test("a command for a task that is open here is delivered without a wake, and the task continues", async () => {
  const id = await completedTask("open");
  const wakes = new MemoryWakes();
  const opened = deferred();
  const completed = deferred();
  let isAdded = false;
  let added = (_: string): void => {};
  const inbox: TaskInbox = {
    async deliver(task: Task) {
      opened.resolve();
      if (isAdded) void task.run("Go on").then(completed.resolve);
      isAdded = false;
      return true;
    },
    watch({ onAdded }) {
      added = onAdded;
      return () => {};
    },
  };
  const worker = await start({ wakes, inbox, idleMs: 3_600_000 });
  await wakes.wake(id);
  await opened.promise;
  isAdded = true;
  added(id);
  await completed.promise;
  expect(worker.tasks.get(id)?.state.state).toBe("idle");
  await worker.drain();
});

test("a task that another worker owns is woken again when the lease of that worker ends", async () => {
  const id = await completedTask("owned");
  const wakes = new MemoryWakes();
  const owned = (taskId: string): JournalDriver => {
    const driver = journal(taskId);
    driver.own = async () => {
      throw new JournalError("JOURNAL_LOCKED", driver.path, "Another worker owns it.", { leaseUntil: 5_000 });
    };
    return driver;
  };
  const worker = await start({ wakes, store: { journal: owned, close: async () => {} } });
  await wakes.wake(id);
  await expect.poll(() => wakes.later).toEqual([[id, 5_000]]);
  await worker.drain();
});

test("a negative time is an error that names the option", async () => {
  await expect(start({ wakes: new MemoryWakes(), idleMs: -1 })).rejects.toMatchObject({
    code: "CLUSTER_OPTION",
  });
});

const ask = (ts: number, kind: string): ClineMessage => ({ ts, type: "ask", ask: kind });

test.each([
  ["whose response streamed", [{ ts: 1, type: "say", say: "text" } as const, ask(10, "resume_task")], true],
  ["that waited for an answer", [ask(1, "tool"), ask(10, "resume_task")], true],
  ["that was at rest after a failed request", [ask(1, "api_req_failed"), ask(10, "resume_task")], false],
  ["that was at rest on the same ask before", [ask(1, "tool"), ask(2, "resume_task")], false],
  ["that had completed", [ask(1, "completion_result"), ask(10, "resume_completed_task")], false],
])("a task %s is continued after it was opened: %#", (_, log, isContinued) => {
  expect(wasInterrupted(log, 5)).toBe(isContinued);
});
