import { once } from "node:events";
import path from "node:path";
import { builtinTools, createHost, defineTool, fileJournal, type ReopenOptions } from "signalbox";
import { openPostgres } from "signalbox/postgres";
import { scriptedModel, scriptedToolCall } from "signalbox/testing";
import { z } from "zod";
import { openWakes } from "../../cluster/wakes/wakes.ts";
import { createWorker, type Worker } from "../../cluster/worker/worker.ts";
import type { Wakes } from "../../ports/wakes.ts";
import { WorkerInput, type WorkerReport, WorkerRequest } from "./worker-input.ts";

// Runs tasks until it is killed, as a worker or as one process with files. Any error fails the measurement.
const { kind, url, journals, workspace, turns, tasks, atOnce } = WorkerInput.parse(
  JSON.parse(process.argv[2] ?? ""),
);
const report = (message: WorkerReport): unknown => process.send?.(message);
const onError = (error: unknown): unknown =>
  report({
    type: "failed",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
const counts = { begun: 0, ended: 0 };
const count = (type: keyof typeof counts): void => {
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
    if (turn === 0) count("begun");
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

/** Counts a task that is closed. */
function closed(taskId: string): void {
  if (lastRequested.has(taskId)) count("ended");
  else onError(new Error(`Expected ${taskId} to complete, but it was closed before its last response.`));
}

/** Wakes that count the tasks that the worker has released. */
const counted = (wakes: Wakes): Wakes => ({
  wake: (taskId, at) => wakes.wake(taskId, at),
  work: (handler, options) =>
    wakes.work(async (taskId, signal) => {
      await handler(taskId, signal);
      closed(taskId);
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
  const wakes = counted(await openWakes({ url, onError }));
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

function prepareEmbedded(): Prepared {
  const host = createHost({ journal: (id) => fileJournal({ dir: path.join(journals, id) }), onError });
  const runTask = async (id: string): Promise<void> => {
    const task = await host.create({ ...optionsOf(id), id, workspace });
    await task.run("Go");
    await host.close(id);
    closed(id);
  };
  return {
    async go() {
      await Promise.all(Array.from({ length: tasks }, (_, n) => runTask(`task-${n}`)));
    },
    stop: () => host.closeAll(),
  };
}

function reportMemory(): void {
  globalThis.gc?.();
  const { heapUsed: heap, rss: resident } = process.memoryUsage();
  report({ type: "memory", heap, resident });
}

async function answer(request: WorkerRequest, prepared: Prepared): Promise<void> {
  if (request === "memory") reportMemory();
  if (request === "go") await prepared.go();
  if (request !== "stop") return;
  await prepared.stop();
  process.disconnect();
}

process.on("disconnect", () => process.exit(0));
const prepared = kind === "worker" ? await prepareWorker() : prepareEmbedded();
process.on("message", (message) => {
  answer(WorkerRequest.parse(message), prepared).catch(onError);
});
report({ type: "loaded" });
