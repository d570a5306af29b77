import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHost, fileJournal, type JournalDriver, JournalError } from "signalbox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { deferred } from "../../cluster/deferred.ts";
import { createWorker, type WorkerOptions } from "../../cluster/worker/worker.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/index.ts";
import { MemoryInbox } from "../support/memory-inbox.ts";
import { MemoryWakes } from "./memory-wakes.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "deliveries-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const NO_USAGE = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
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

const start = (options: Pick<WorkerOptions, "wakes"> & Partial<WorkerOptions>) =>
  createWorker({
    store: { journal, close: async () => {} },
    task: { model: scriptedModel([complete("Done.")]), workspace: false },
    idleMs: 0,
    drainMs: 0,
    onError: console.error,
    ...options,
  });

test("a command that arrives while the task is closed is taken when it is opened again", async () => {
  const id = await completedTask("closing");
  const wakes = new MemoryWakes();
  const inbox = new MemoryInbox();
  const taken = deferred();
  let closings = 0;
  let openings = 0;
  const refusedAt: number[] = [];
  const closing = (taskId: string): JournalDriver => {
    const driver = journal(taskId);
    const close = driver.close.bind(driver);
    driver.close = async () => {
      closings += 1;
      if (closings === 1) {
        await inbox.send(id, { kind: "pause" });
        await wakes.wake(id);
      }
      await close();
    };
    return driver;
  };
  const worker = await start({
    wakes,
    store: { journal: closing, inbox, close: async () => {} },
    task: () => {
      openings += 1;
      return { model: scriptedModel([]), workspace: false };
    },
    // A task at rest refuses a pause.
    onError: () => {
      refusedAt.push(openings);
      taken.resolve();
    },
  });
  await wakes.wake(id);
  await taken.promise;
  expect(refusedAt).toEqual([2]);
  await worker.drain();
});

test("a command for a task that is open here is taken without a wake, and the task continues", async () => {
  const id = await completedTask("open");
  const wakes = new MemoryWakes();
  const inbox = new MemoryInbox();
  const worker = await start({
    wakes,
    store: { journal, inbox, close: async () => {} },
    task: { model: scriptedModel([complete("Ready."), complete("Done.")]), workspace: false },
    idleMs: 3_600_000,
  });
  await wakes.wake(id);
  await expect.poll(() => worker.tasks.has(id)).toBe(true);
  await inbox.send(id, { kind: "continue", text: "Go on" });
  await expect.poll(() => worker.tasks.get(id)?.snapshot.context.result).toBe("Done.");
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

test("a commit of a task makes its worker look at this task alone", async () => {
  const wakes = new MemoryWakes();
  const inbox = new MemoryInbox();
  const streaming = deferred();
  const waiting = deferred();
  const words = async function* () {
    yield { type: "text.delta", text: "One" } as const;
    streaming.resolve();
    await waiting.promise;
    yield { type: "text.delta", text: " two" } as const;
    yield* complete("Done.");
    yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE } as const;
  };
  const ended = deferred();
  const worker = await start({
    wakes,
    store: { journal, inbox, close: async () => {} },
    task: { model: scriptedModel([complete("Ready."), words]), workspace: false, completion: "tool" },
    idleMs: 3_600_000,
  });
  const id = await completedTask("looked-at");
  await inbox.send(id, { kind: "continue", text: "Go on" });
  await wakes.wake(id);
  await streaming.promise;
  const listed = vi.spyOn(worker.tasks, "values");
  worker.tasks.get(id)?.events$.subscribe(({ snapshot }) => {
    if (snapshot.context.result === "Done.") ended.resolve();
  });
  waiting.resolve();
  await ended.promise;
  expect(listed).not.toHaveBeenCalled();
  await worker.drain();
});

test("a negative time is an error that names the option", async () => {
  await expect(start({ wakes: new MemoryWakes(), idleMs: -1 })).rejects.toMatchObject({
    code: "CLUSTER_OPTION",
  });
});
