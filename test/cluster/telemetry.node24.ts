import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { anthropic, builtinTools } from "signalbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observeWorker } from "../../cluster/telemetry.ts";
import { openWakes } from "../../cluster/wakes/wakes.ts";
import { createWorker } from "../../cluster/worker/worker.ts";
import { LONG_LEASE_MS } from "../support/postgres.ts";
import { memoryStore } from "./memory-store.ts";
import { WorkerRig } from "./worker-rig.ts";

const QUESTION = `
- { tool: attempt_completion, input: { result: Ready. } }
- { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: one, mode: null }] } }
- { tool: attempt_completion, input: { result: Done. } }
`;
const SCHEMA = "observed_wakes";
/** The time that a wake waited before a worker was there, in seconds. */
const AGED_S = 100;

let rig: WorkerRig;
beforeAll(async () => {
  rig = await WorkerRig.start();
});
afterAll(() => rig.remove());

/** A meter of the SDK whose values are read at once. */
function collector() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  const collected = async (): Promise<ReadonlyMap<string, MetricData>> => {
    exporter.reset();
    await provider.forceFlush();
    const found = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    return new Map(found.map((metric) => [metric.descriptor.name, metric]));
  };
  return {
    meter: provider.getMeter("test"),
    names: async () => [...(await collected()).keys()].sort(),
    /** The values of an instrument, by its attribute if it has one. */
    async values(name: string) {
      const points = (await collected()).get(name)?.dataPoints ?? [];
      return Object.fromEntries(
        points.map(({ attributes, value }) => [Object.values(attributes).join(), value]),
      );
    },
    async histogram(name: string): Promise<Histogram | undefined> {
      const value = (await collected()).get(name)?.dataPoints[0]?.value;
      return typeof value === "object" && "buckets" in value ? value : undefined;
    },
    unit: async (name: string) => (await collected()).get(name)?.descriptor.unit,
    shutdown: () => provider.shutdown(),
  };
}

test("a worker has metrics of its tasks, its lease, the waits of wakes, the inbox and parked tasks", async () => {
  const mock = await rig.mock(QUESTION);
  const [taskId, other] = [await rig.task(mock), "nobody-takes-this"];
  const store = await rig.postgres.store();
  const url = rig.postgres.cluster.url();
  const same = memoryStore(new Map(), (await store.identity.read()).id);
  const wakes = await openWakes({
    url,
    store: same,
    schema: SCHEMA,
    retries: 0,
    onError: console.error,
  });
  const errors: string[] = [];
  await rig.command(taskId, { kind: "continue", text: "Ask" });
  await rig.command(other, { kind: "cancel" });
  await wakes.wake(taskId);
  const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url });
  const tools = builtinTools().filter(({ name }) =>
    /^(attempt_completion|ask_followup_question)$/.test(name),
  );
  const sdk = collector();
  let readings = 0;
  const idle = {
    get tasks() {
      readings += 1;
      return new Map();
    },
  };
  const before = observeWorker({ worker: idle, store, wakes }, { meter: sdk.meter });
  expect(await sdk.values("signalbox.inbox.commands")).toEqual({ "": 2 });
  expect(await sdk.values("signalbox.worker.tasks")).toEqual({ working: 0, resting: 0 });
  expect(await sdk.values("signalbox.worker.lease.remaining")).toEqual({ "": 0 });
  expect(readings).toBeGreaterThan(0);
  before.close();
  readings = 0;
  expect(await sdk.names()).toEqual([
    "signalbox.inbox.commands",
    "signalbox.wakes.parked",
    "signalbox.worker.lease.remaining",
    "signalbox.worker.tasks",
  ]);
  expect(readings).toBe(0);

  const worker = await createWorker({
    store,
    wakes,
    idleMs: 200,
    task: (id) => {
      if (id === other) throw new Error("It can't be opened.");
      return { model, tools, permissions: { level: "bypass" } };
    },
    onError: (error) => errors.push(String(error)),
  });
  const telemetry = observeWorker({ worker, store, wakes }, { meter: sdk.meter });
  await expect.poll(() => sdk.values("signalbox.worker.tasks")).toEqual({ working: 1, resting: 0 });
  const { "": remaining } = await sdk.values("signalbox.worker.lease.remaining");
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThan(LONG_LEASE_MS / 1000);
  await expect.poll(() => sdk.values("signalbox.inbox.commands")).toEqual({ "": 1 });

  await wakes.wake(other);
  await expect.poll(() => sdk.values("signalbox.wakes.parked")).toEqual({ "": 1 });
  expect(errors).toEqual(["Error: It can't be opened."]);
  await rig.command(taskId, { kind: "cancel" });
  await expect.poll(() => sdk.values("signalbox.worker.tasks")).toEqual({ working: 0, resting: 0 });
  telemetry.close();
  await worker.drain();
  await wakes.close();
  await sdk.shutdown();
});

test("the latency of a wake is the time that its row waited, by the clock of the database", async () => {
  const url = rig.postgres.cluster.url();
  const wakes = await openWakes({ url, store: memoryStore(), schema: "late_wakes", onError: console.error });
  await wakes.wake("a");
  await rig.postgres.admin.query(
    `UPDATE late_wakes.job SET created_on = created_on - interval '${AGED_S} s', start_after = start_after - interval '${AGED_S} s'`,
  );
  const sdk = collector();
  const store = await rig.postgres.store();
  const telemetry = observeWorker({ worker: { tasks: new Map() }, store, wakes }, { meter: sdk.meter });
  const handled: string[] = [];
  const work = await wakes.work(async (taskId) => void handled.push(taskId), { atOnce: 1 });
  await expect.poll(() => handled).toEqual(["a"]);
  const waited = await sdk.histogram("signalbox.worker.wake.latency");
  expect(waited?.count).toBe(1);
  expect(waited?.sum).toBeGreaterThanOrEqual(AGED_S);
  expect(waited?.sum).toBeLessThan(2 * AGED_S);
  expect(await sdk.unit("signalbox.worker.wake.latency")).toBe("s");
  telemetry.close();
  await wakes.wake("b");
  await expect.poll(() => handled).toEqual(["a", "b"]);
  expect((await sdk.histogram("signalbox.worker.wake.latency"))?.count).toBe(1);
  await work.stop();
  await wakes.close();
  await sdk.shutdown();
});
