import { once } from "node:events";
import path from "node:path";
import { builtinTools, createHost, defineTool, fileJournal, type Host, type ReopenOptions } from "signalbox";
import { openPostgres } from "signalbox/postgres";
import { scriptedModel, scriptedToolCall } from "signalbox/testing";
import { z } from "zod";
import { openWakes } from "../../cluster/wakes/wakes.ts";
import { createWorker, type Worker } from "../../cluster/worker/worker.ts";
import type { Wakes } from "../../ports/wakes.ts";
import { WorkerInput, type WorkerReport, WorkerRequest } from "./worker-input.ts";

// Runs tasks until it is killed or asked to stop, as a worker or as one process with files.
const { kind, url, journals, workspace, turns, tasks, warmUp, atOnce } = WorkerInput.parse(
  JSON.parse(process.argv[2] ?? ""),
);
const report = (message: WorkerReport): unknown => process.send?.(message);
const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
const fail = (error: unknown): unknown => report({ type: "failed", message: textOf(error) });
// A worker tries again what failed, as on a machine that is so busy that a lease ends.
const onError = (error: unknown): void => console.error(textOf(error));
const counts = { begun: 0, ended: 0 };
/** Prefix of the tasks that warm up the process: they are not counted. */
const WARM_UP = "warm-up";
const count = (type: keyof typeof counts, taskId: string): void => {
  if (taskId.startsWith(WARM_UP)) return;
  counts[type] += 1;
  report({ type, tasks: counts[type] });
};

const step = defineTool({
  name: "step",
  description: "Does nothing.",
  inputSchema: z.object({ turn: z.number() }),
  effect: "reads",
  execute: () => "Done.",
});
const completion = builtinTools().filter(({ name }) => name === "attempt_completion");
/** The tasks whose last response was requested. */
const lastRequested = new Set<string>();

function optionsOf(taskId: string): ReopenOptions {
  const model = scriptedModel((turn) => {
    if (turn === 0) count("begun", taskId);
    if (turns === 0)
      return async function* (signal) {
        yield { type: "text.delta", text: "Working" };
        await once(signal, "abort");
      };
    if (turn < turns - 1) return scriptedToolCall("step", { turn });
    lastRequested.add(taskId);
    return scriptedToolCall("attempt_completion", { result: "Done." });
  });
  return { model, tools: [...completion, step], permissions: { level: "bypass" } };
}

/** Count a task that has completed and is closed. Returns false for one that has not completed, or is counted. */
function countClosed(taskId: string): boolean {
  const hasCompleted = lastRequested.delete(taskId);
  if (hasCompleted) count("ended", taskId);
  return hasCompleted;
}

/** Wakes that count the tasks that the worker has released. */
const counted = (wakes: Wakes): Wakes => ({
  wake: (taskId, at) => wakes.wake(taskId, at),
  work: (handler, options) =>
    wakes.work(async (taskId, signal) => {
      await handler(taskId, signal);
      // A wake that is delivered twice finds the task owned by another worker, or at rest.
      countClosed(taskId);
    }, options),
  close: () => wakes.close(),
});

/** A process that has loaded its modules. */
interface Prepared {
  go(): Promise<void>;
  stop(): Promise<void>;
}

async function prepareWorker(): Promise<Prepared> {
  const store = await openPostgres({ url });
  await runTasks(createHost({ journal: store.journal, onError: fail }), `${WARM_UP}-${process.pid}`, warmUp);
  const wakes = counted(await openWakes({ url, store, onError }));
  let worker: Worker | undefined;
  return {
    async go() {
      worker = await createWorker({ store, wakes, task: optionsOf, workspace, atOnce, idleMs: 0, onError });
      report({ type: "ready" });
    },
    async stop() {
      await worker?.drain();
      await wakes.close();
    },
  };
}

async function prepareEmbedded(): Promise<Prepared> {
  const host = createHost({
    journal: (id) => fileJournal({ dir: path.join(journals, id) }),
    onError: fail,
  });
  await runTasks(host, WARM_UP, warmUp);
  return {
    async go() {
      await runTasks(host, "task", tasks);
    },
    stop: () => host.closeAll(),
  };
}

/** Run tasks at once, each to its end. */
async function runTasks(host: Host, prefix: string, length: number): Promise<void> {
  const runTask = async (id: string): Promise<void> => {
    const task = await host.create({ ...optionsOf(id), id, workspace });
    await task.run("Go");
    await host.close(id);
    if (!countClosed(id))
      throw new Error(`Expected ${id} to complete, but it ended before its last response.`);
  };
  await Promise.all(Array.from({ length }, (_, n) => runTask(`${prefix}-${n}`)));
}

function reportUsage(): void {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const { heapUsed: heap, rss: resident } = process.memoryUsage();
  report({ type: "usage", heap, resident, cpuMs: (user + system) / 1_000 });
}

async function answer(request: WorkerRequest, prepared: Prepared): Promise<void> {
  if (request === "usage") reportUsage();
  if (request === "go") await prepared.go();
  if (request !== "stop") return;
  await prepared.stop();
  process.disconnect();
}

process.on("disconnect", () => process.exit(0));
const prepared = await (kind === "worker" ? prepareWorker() : prepareEmbedded());
process.on("message", (message) => {
  answer(WorkerRequest.parse(message), prepared).catch(fail);
});
report({ type: "loaded" });
