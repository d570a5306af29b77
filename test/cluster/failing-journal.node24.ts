import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  builtinTools,
  type ChatModel,
  createHost,
  defineTool,
  fileJournal,
  type JournalDriver,
  JournalError,
  type ModelRequest,
} from "signalbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../actors/protocol/edge.ts";
import { deferred } from "../../cluster/deferred.ts";
import { createWorker } from "../../cluster/worker/worker.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/index.ts";
import { MemoryInbox } from "../support/memory-inbox.ts";
import { readAll } from "../testing/conformance.ts";
import { MemoryWakes } from "./memory-wakes.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "failing-journals-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const complete = (result: string) => scriptedToolCall("attempt_completion", { result });
const fileOf = (taskId: string): JournalDriver => fileJournal({ dir: path.join(folder, taskId) });
const completion = builtinTools().filter(({ name }) => name === "attempt_completion");
const closeStore = async (): Promise<void> => {};

/** A task that has completed and is closed. `wakesAt`: its next wake-up. */
async function completedTask(id: string, wakesAt?: number): Promise<string> {
  const host = createHost({ journal: fileOf });
  const model = scriptedModel([complete("Ready.")]);
  const task = await host.create({ id, model, workspace: false, completion: "tool" });
  await task.run("Begin");
  if (wakesAt !== undefined) task.wakeAt(wakesAt, "Look");
  await host.closeAll();
  return id;
}

/** Journals whose next append fails once. */
class FailingJournals {
  isFailing = false;
  readonly #losing = new Map<string, (error: Error) => void>();

  /** Tell a task that another owner may soon own its journal. */
  lose(taskId: string): void {
    this.#losing.get(taskId)?.(new JournalError("JOURNAL_LOCKED", taskId, "The lease has ended."));
  }

  readonly journal = (taskId: string): JournalDriver => {
    const driver = fileOf(taskId);
    driver.onLost = (listener) => this.#losing.set(taskId, listener);
    const append = driver.append.bind(driver);
    driver.append = async (lines, options) => {
      if (!this.isFailing) return append(lines, options);
      this.isFailing = false;
      throw new JournalError("JOURNAL_IO", driver.path, "The connection broke.");
    };
    return driver;
  };
}

test.each([
  ["streams", 0],
  ["runs a call", 1],
])("a task whose journal fails while it %s is closed, woken and continued", async (when, calls) => {
  const id = await completedTask(`fails-${calls}`);
  const wakes = new MemoryWakes();
  const inbox = new MemoryInbox();
  const journals = new FailingJournals();
  const errors: unknown[] = [];
  let executed = 0;
  const effect = defineTool({
    name: "effect",
    description: "Has an effect.",
    inputSchema: z.object({}),
    effect: "writes",
    execute() {
      executed += 1;
      journals.isFailing = when === "runs a call";
      return "Done.";
    },
  });
  let responses = 0;
  const model = scriptedModel(() => {
    responses += 1;
    if (responses > 1) return complete("Done.");
    journals.isFailing = when === "streams";
    return scriptedToolCall("effect", {});
  });
  const worker = await createWorker({
    wakes,
    store: { journal: journals.journal, inbox, close: closeStore },
    task: { model, workspace: false, tools: [...completion, effect], permissions: { level: "bypass" } },
    idleMs: 3_600_000,
    drainMs: 0,
    onError: (error) => errors.push(error),
  });
  await inbox.send(id, { kind: "continue", text: "Go on" });
  await wakes.wake(id);
  await expect.poll(() => worker.tasks.get(id)?.snapshot.context.result).toBe("Done.");
  expect(errors).toContainEqual(expect.objectContaining({ code: "JOURNAL_IO" }));
  expect(executed).toBe(calls);
  await worker.drain();
});

test("a task whose journal failed is woken once the database takes it, and no try is used up", async () => {
  const id = await completedTask("outage-after-failure");
  const inbox = new MemoryInbox();
  const journals = new FailingJournals();
  const outages: string[] = [];
  class FailingWakes extends MemoryWakes {
    isAway = false;
    override async wake(taskId: string, at?: number): Promise<void> {
      if (this.isAway && outages.push(taskId) < 3) throw new Error("The connection broke.");
      await super.wake(taskId, at);
    }
  }
  const wakes = new FailingWakes();
  let responses = 0;
  const model = scriptedModel(() => {
    responses += 1;
    wakes.isAway = true;
    journals.isFailing = responses === 1;
    return complete("Done.");
  });
  const worker = await createWorker({
    wakes,
    store: { journal: journals.journal, inbox, close: closeStore },
    task: { model, workspace: false, permissions: { level: "bypass" } },
    clock: { now: () => systemClock.now(), after: (_, callback) => systemClock.after(0, callback) },
    idleMs: 3_600_000,
    drainMs: 0,
    onError: () => {},
  });
  await inbox.send(id, { kind: "continue", text: "Go on" });
  await wakes.wake(id);
  await expect.poll(() => responses).toBe(2);
  expect(outages).toEqual([id, id, id]);
  expect(wakes.failures).toEqual([]);
  await worker.drain();
});

test("a task whose next wake can't be set is closed, so that a later wake opens it", async () => {
  const id = await completedTask("not-woken", 8_000_000_000_000);
  const failed = deferred();
  const errors: unknown[] = [];
  class FailingWakes extends MemoryWakes {
    override async wake(taskId: string, at?: number): Promise<void> {
      if (at !== undefined && errors.length === 0) throw new Error("The connection broke.");
      await super.wake(taskId, at);
    }
  }
  const wakes = new FailingWakes();
  const worker = await createWorker({
    wakes,
    store: { journal: fileOf, close: closeStore },
    task: { model: scriptedModel([]), workspace: false },
    idleMs: 0,
    drainMs: 0,
    onError(error) {
      errors.push(error);
      failed.resolve();
    },
  });
  await wakes.wake(id);
  await failed.promise;
  await wakes.wake(id);
  await expect.poll(() => wakes.later).toEqual([[id, 8_000_000_000_000]]);
  expect(errors).toHaveLength(1);
  await worker.drain();
});

test("a task that can't be opened because the database fails is woken later, and the try does not count", async () => {
  const id = await completedTask("outage");
  const wakes = new MemoryWakes();
  const worker = await createWorker({
    wakes,
    store: {
      journal(taskId) {
        const driver = fileOf(taskId);
        driver.own = async () => {
          throw new JournalError("JOURNAL_IO", driver.path, "The connection broke.");
        };
        return driver;
      },
      close: closeStore,
    },
    task: { model: scriptedModel([]), workspace: false },
    idleMs: 0,
    drainMs: 0,
    onError: () => {},
  });
  await wakes.wake(id);
  await expect.poll(() => wakes.later).toEqual([[id, expect.any(Number)]]);
  expect(wakes.failures).toEqual([]);
  await worker.drain();
});

test("a task whose records a later version wrote waits for a worker of that version, and the worker says so", async () => {
  const id = await completedTask("later");
  const { seqs } = await readAll(fileOf(id));
  const record = { seq: seqs.length, kind: "version", at: 1, version: 99 } as const;
  await appendFile(fileOf(id).path, `${encodeLine(record)}\n`);
  const wakes = new MemoryWakes();
  const errors: unknown[] = [];
  const worker = await createWorker({
    wakes,
    store: { journal: fileOf, close: closeStore },
    task: { model: scriptedModel([]), workspace: false },
    onError: (error) => errors.push(error),
  });
  await wakes.wake(id);
  await expect.poll(() => wakes.later).toEqual([[id, expect.any(Number)]]);
  expect(wakes.failures).toEqual([]);
  expect(errors).toEqual([expect.objectContaining({ code: "JOURNAL_VERSION" })]);
  await worker.drain();
});

test("a working task that is closed because its inbox fails is continued when it is opened again", async () => {
  const id = await completedTask("inbox");
  const wakes = new MemoryWakes();
  const inbox = new MemoryInbox();
  let isFailing = true;
  inbox.before = async (operation) => {
    if (operation === "after" || !isFailing) return;
    isFailing = false;
    throw new Error("The connection broke.");
  };
  const model = scriptedModel(() =>
    wakes.failures.length === 0
      ? async function* (signal: AbortSignal) {
          yield { type: "text.delta", text: "Working" } as const;
          await once(signal, "abort");
        }
      : complete("Done."),
  );
  const worker = await createWorker({
    wakes,
    store: { journal: fileOf, inbox, close: closeStore },
    task: { model, workspace: false, tools: completion },
    idleMs: 3_600_000,
    drainMs: 0,
    onError: () => {},
  });
  await inbox.send(id, { kind: "continue", text: "Go on" });
  await wakes.wake(id);
  await expect.poll(() => wakes.failures).toHaveLength(1);
  await wakes.wake(id);
  await expect.poll(() => worker.tasks.get(id)?.snapshot.context.result).toBe("Done.");
  await worker.drain();
});

/** A worker of a task that starts a subtask, whose effect is followed by a completion. */
async function parentRig(id: string, { journal }: Pick<FailingJournals, "journal">, execute: () => void) {
  await completedTask(id);
  const wakes = new MemoryWakes();
  const inbox = new MemoryInbox();
  const errors: unknown[] = [];
  const talking = builtinTools().filter(({ name }) => ["attempt_completion", "new_task"].includes(name));
  const effect = defineTool({
    name: "effect",
    description: "Has an effect.",
    inputSchema: z.object({}),
    effect: "writes",
    execute() {
      execute();
      return "Done.";
    },
  });
  const parent = scriptedModel(
    (turn) =>
      [scriptedToolCall("new_task", { mode: "code", message: "Help" }), complete("Done.")][turn - 1] ?? [],
  );
  const child = scriptedModel([scriptedToolCall("effect", {}), complete("Helped.")]);
  const isChild = ({ messages }: ModelRequest): boolean => JSON.stringify(messages[0]).includes("Help");
  const model: ChatModel = {
    id: "scripted",
    stream: (request, signal) => (isChild(request) ? child : parent).stream(request, signal),
  };
  const worker = await createWorker({
    wakes,
    store: { journal, inbox, close: closeStore },
    task: { model, workspace: false, tools: [...talking, effect], permissions: { level: "bypass" } },
    idleMs: 0,
    drainMs: 0,
    onError: (error) => errors.push(error),
  });
  await inbox.send(id, { kind: "continue", text: "Go on" });
  await wakes.wake(id);
  return { worker, wakes, errors };
}

const recordsOf = (id: string): Promise<string> => readFile(path.join(folder, id, "journal.jsonl"), "utf8");

test("a parent gets the result of a subtask whose journal failed", async () => {
  const journals = new FailingJournals();
  let executed = 0;
  const { worker, errors } = await parentRig("parent", journals, () => {
    executed += 1;
    journals.isFailing = true;
  });
  await expect.poll(() => recordsOf("parent")).toContain('"result":"Done."');
  await worker.drain();
  expect(errors).toContainEqual(expect.objectContaining({ code: "JOURNAL_IO" }));
  expect(executed).toBe(1);
  expect(await recordsOf("parent")).toContain("Helped.");
});

test("a subtask is not cancelled because its parent lost its journal: the next owner gets its result", async () => {
  const journals = new FailingJournals();
  let executed = 0;
  const { worker, errors } = await parentRig("lost", journals, () => {
    executed += 1;
    journals.lose("lost");
  });
  await expect.poll(() => recordsOf("lost")).toContain('"result":"Done."');
  await worker.drain();
  expect(errors).toContainEqual(expect.objectContaining({ code: "JOURNAL_LOCKED" }));
  expect(executed).toBe(1);
  expect(await recordsOf("lost")).toContain("Helped.");
  expect(await recordsOf("lost.1")).not.toContain("task.cancel");
});

test("a task whose subtask another worker still owned is woken later, and gets its result", async () => {
  const journals = new FailingJournals();
  const other = fileOf("locked.1");
  await other.own();
  const { worker, wakes } = await parentRig("locked", journals, () => {});
  await expect.poll(() => wakes.later).toEqual([["locked", expect.any(Number)]]);
  await expect.poll(() => worker.tasks.size).toBe(0);
  await other.close();
  await wakes.wake("locked");
  await expect.poll(() => recordsOf("locked")).toContain('"result":"Done."');
  await worker.drain();
  expect(await recordsOf("locked")).toContain("Helped.");
});
