import { randomUUID } from "node:crypto";
import { firstValueFrom } from "rxjs";
import { createHost, type JournalDriver, memoryJournal } from "signalbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OwnedTask } from "../../cluster/worker/owned-task.ts";
import { createWorker } from "../../cluster/worker/worker.ts";
import type { Clock } from "../../ports/clock.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/index.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { contentOf } from "../testing/conformance.ts";
import { MemoryWakes } from "./memory-wakes.ts";

let rig: PostgresRig;
beforeAll(async () => {
  rig = await PostgresRig.start();
});
afterAll(() => rig.remove());

const model = () =>
  scriptedModel([
    scriptedToolCall("ask_followup_question", {
      question: "Which?",
      follow_up: [{ text: "one", mode: null }],
    }),
    scriptedToolCall("attempt_completion", { result: "Done." }),
  ]);

/** Journals that count how often a passive task is saved and activated. */
function counted(journal: (taskId: string) => JournalDriver) {
  const counts = { saves: 0, activations: 0 };
  const driverOf = (taskId: string): JournalDriver => {
    const driver = journal(taskId);
    const { passive } = driver;
    if (passive === undefined) throw new Error("Expected storage for passive tasks.");
    const [save, load] = [passive.save.bind(passive), passive.load.bind(passive)];
    passive.save = (content) => {
      counts.saves += 1;
      return save(content);
    };
    passive.load = () => {
      counts.activations += 1;
      return load();
    };
    return driver;
  };
  return { counts, journal: driverOf };
}

test("a worker passivates a task that waits for an answer, and continues it with the answer in its inbox", async () => {
  const store = await rig.store();
  const { counts, journal } = counted(store.journal);
  const wakes = new MemoryWakes();
  const errors: unknown[] = [];
  const worker = await createWorker({
    store: { ...store, journal },
    wakes,
    task: { model: model(), workspace: false },
    host: { passivateAfterMs: 0 },
    idleMs: 0,
    drainMs: 0,
    onError: (error) => errors.push(error),
  });
  const id = randomUUID();
  await store.inbox.put(id, randomUUID(), { kind: "start", prompt: "Go" });
  await wakes.wake(id);
  await expect.poll(() => worker.tasks.get(id)?.isWaiting).toBe(true);
  await expect.poll(() => counts.saves).toBeGreaterThan(0);
  const task = worker.tasks.get(id);
  const askId = task?.asks.at(-1)?.id ?? 0;
  await expect.poll(() => task?.passivate()).toBe(true);
  const { activations } = counts;
  const before = await contentOf(store.journal(id));
  const answer = { kind: "text", text: "one", images: [] };
  await store.inbox.put(id, randomUUID(), { kind: "answer", askId, answer });
  await expect.poll(() => worker.tasks.size).toBe(0);
  expect(counts.activations).toBe(activations + 1);
  const after = await contentOf(store.journal(id));
  expect(after.subarray(0, before.length)).toEqual(before);
  expect(String(after)).toContain('"result":"Done."');
  expect(errors).toEqual([]);
  await worker.drain();
});

test("a passive task that waits for an answer is not idle, and a worker that drains leaves it passive", async () => {
  const { counts, journal } = counted(() => memoryJournal());
  const host = createHost({ journal });
  const task = await host.create({ model: model(), workspace: false });
  const asked = firstValueFrom(task.asks$);
  task.run("Go").catch(() => undefined);
  await asked;
  await task.flushed();
  expect(await task.passivate()).toBe(true);
  const timers: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(ms) {
      timers.push(ms);
      return () => {};
    },
  };
  const drains = new AbortController();
  const owned = new OwnedTask(task, drains.signal, { host, clock, idleMs: 5 });
  const ended = owned.untilIdle();
  expect({ isIdle: owned.isIdle, timers }).toEqual({ isIdle: false, timers: [] });
  drains.abort();
  await ended;
  expect(counts.activations).toBe(0);
  await host.closeAll();
});
