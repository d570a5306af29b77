/** @signalbox/cluster/telemetry: metrics of a worker by the OpenTelemetry API (docs/guide/telemetry.md). */
import { type Meter, metrics, type ObservableCallback } from "@opentelemetry/api";
import type { DeliveredWake, ParkedTask } from "./wakes/queues.ts";

/** The parts of a worker that metrics read: `createWorker`, `openPostgres` and `openWakes` return them. */
export interface ObservedWorker {
  readonly worker: { readonly tasks: ReadonlyMap<string, { readonly isWorking: boolean }> };
  readonly store: {
    leaseRemainingMs(): number | undefined;
    readonly inbox: { waiting(): Promise<number> };
  };
  readonly wakes: {
    parked(): Promise<readonly ParkedTask[]>;
    onDelivered(listener: (wake: DeliveredWake) => void): () => void;
  };
}

/** Options of {@link observeWorker}. */
export interface WorkerTelemetryOptions {
  /** Default: the meter of the registered provider, by the name `signalbox`. */
  readonly meter?: Meter;
}

/** The metrics of a worker. */
export interface WorkerTelemetry {
  /** Stop observing. Call it before the worker drains, which closes the database. */
  close(): void;
}

/** Upper bounds of the times that wakes wait, in seconds: a notified one takes milliseconds, one behind others minutes. */
const WAITED_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The key of the attribute: whether a task works. */
const ACTIVITY = "signalbox.task.activity";

/**
 * Create metrics of a worker: its tasks, its lease, the times that wakes waited, and what waits in the database. Needs the package
 * `@opentelemetry/api`. Each reading of the metrics is two short queries.
 *
 * @example
 * ```ts
 * import type { PostgresWakes, Worker } from "@signalbox/cluster";
 * import { observeWorker } from "@signalbox/cluster/telemetry";
 * import type { PostgresStore } from "signalbox/postgres";
 * async function observe(worker: Worker, store: PostgresStore, wakes: PostgresWakes) {
 *   const telemetry = observeWorker({ worker, store, wakes });
 *   process.once("SIGTERM", async () => {
 *     telemetry.close();
 *     await worker.drain();
 *     await wakes.close();
 *   });
 * }
 * ```
 */
export function observeWorker(
  { worker, store, wakes }: ObservedWorker,
  { meter = metrics.getMeter("signalbox") }: WorkerTelemetryOptions = {},
): WorkerTelemetry {
  const ends: (() => void)[] = [];
  const gauge = (name: string, description: string, unit: string, callback: ObservableCallback): void => {
    const instrument = meter.createObservableGauge(name, { description, unit });
    instrument.addCallback(callback);
    ends.push(() => instrument.removeCallback(callback));
  };
  const tasks = meter.createObservableUpDownCounter("signalbox.worker.tasks", {
    description: "Open tasks of the worker, including subtasks",
    unit: "{task}",
  });
  const countTasks: ObservableCallback = (result) => {
    const working = [...worker.tasks.values()].filter(({ isWorking }) => isWorking).length;
    result.observe(working, { [ACTIVITY]: "working" });
    result.observe(worker.tasks.size - working, { [ACTIVITY]: "resting" });
  };
  tasks.addCallback(countTasks);
  ends.push(() => tasks.removeCallback(countTasks));
  // An instrument without a value keeps its last one.
  gauge(
    "signalbox.worker.lease.remaining",
    "Time until effects stop unless the lease is renewed; 0 without a lease",
    "s",
    (result) => result.observe((store.leaseRemainingMs() ?? 0) / 1000),
  );
  gauge("signalbox.inbox.commands", "Commands of all tasks that wait", "{command}", async (result) => {
    result.observe(await store.inbox.waiting());
  });
  gauge("signalbox.wakes.parked", "Tasks whose wakes failed too often", "{task}", async (result) => {
    result.observe((await wakes.parked()).length);
  });
  const waited = meter.createHistogram("signalbox.worker.wake.latency", {
    description: "Time from a wake to its handler",
    unit: "s",
    advice: { explicitBucketBoundaries: WAITED_S },
  });
  ends.push(wakes.onDelivered(({ waitedMs }) => waited.record(waitedMs / 1000)));
  return {
    close() {
      for (const end of ends.splice(0)) end();
    },
  };
}
