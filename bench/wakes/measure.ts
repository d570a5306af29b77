import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { Wakes } from "../../ports/wakes.ts";
import { Cluster } from "../harness/cluster.ts";
import { machine } from "../harness/machine.ts";
import { formatNumber, quantile } from "../harness/numbers.ts";
import { ENGINES, type Engine, openEngine } from "./engines.ts";

const Report = z.object({ task: z.string(), at: z.number(), type: z.enum(["started", "ended", "ready"]) });
type Report = z.infer<typeof Report>;

const [workerFile = "", ...only] = process.argv.slice(2);
const now = (): number => performance.timeOrigin + performance.now();

/** Two workers of an engine, and what they have reported. */
class Rig {
  readonly wakes: Wakes;
  readonly #engine: Engine;
  readonly #url: string;
  readonly reports: (Report & { readonly worker: ChildProcess })[] = [];
  readonly #workers: ChildProcess[] = [];
  #heard = (): void => {};

  constructor(wakes: Wakes, engine: Engine, url: string) {
    this.wakes = wakes;
    this.#engine = engine;
    this.#url = url;
  }

  async add(atOnce: number): Promise<ChildProcess> {
    const worker = fork(workerFile, [this.#engine, this.#url, `${atOnce}`]);
    this.#workers.push(worker);
    worker.on("message", (message) => {
      this.reports.push({ ...Report.parse(message), worker });
      this.#heard();
    });
    await this.until(() => this.reports.some((each) => each.worker === worker && each.type === "ready"));
    return worker;
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue())
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
  }

  startedAt(task: string): number | undefined {
    return this.reports.find((each) => each.task === task && each.type === "started")?.at;
  }

  count(prefix: string): number {
    return this.reports.filter(({ task, type }) => type === "started" && task.startsWith(prefix)).length;
  }

  async end(): Promise<void> {
    for (const worker of this.#workers) {
      if (worker.exitCode !== null || worker.signalCode !== null) continue;
      worker.kill("SIGKILL");
      await once(worker, "exit");
    }
    this.#workers.length = 0;
    this.reports.length = 0;
  }
}

/** Longest time that the handling of many wakes is measured for. */
const DRAINED_MS = 30_000;

type Row = readonly [what: string, result: string];

const spread = (values: readonly number[]): string =>
  `p50 ${formatNumber(quantile(values, 0.5))} ms, p99 ${formatNumber(quantile(values, 0.99))} ms`;

/** From the call of `wake` to the handler, one wake after the other, beside tasks that are worked on. */
async function latency(rig: Rig, atOnce: number, busy: number): Promise<Row> {
  await rig.add(atOnce);
  await rig.add(atOnce);
  for (let n = 0; n < busy; n += 1) await rig.wakes.wake(`busy-${n}:ever`);
  await rig.until(() => rig.count("busy-") === busy);
  const times: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    const task = `latency-${n}`;
    const sent = now();
    await rig.wakes.wake(task);
    await rig.until(() => rig.startedAt(task) !== undefined);
    times.push((rig.startedAt(task) ?? 0) - sent);
    await pause(20);
  }
  await rig.end();
  return [`wake to handler, 2 workers of ${atOnce}, ${busy} tasks worked on`, spread(times)];
}

/** From SIGKILL of a worker to the handler of the other one. */
async function takeover(rig: Rig): Promise<Row> {
  const times: number[] = [];
  let worker = await rig.add(4);
  for (let n = 0; n < 4; n += 1) {
    const task = `killed-${n}:ever`;
    await rig.wakes.wake(task);
    await rig.until(() => rig.startedAt(task) !== undefined);
    const next = await rig.add(4);
    await pause(n * 1_000);
    worker.kill("SIGKILL");
    const killed = now();
    await rig.until(() => rig.reports.filter((each) => each.task === task).length > 1);
    times.push((rig.reports.findLast((each) => each.task === task)?.at ?? 0) - killed);
    worker = next;
  }
  await rig.end();
  return [
    "SIGKILL of a worker to the handler of another",
    `${times.map((ms) => (ms / 1000).toFixed(1)).join(", ")} s`,
  ];
}

/** Wakes of many tasks, each woken three times before a worker starts, and once while it is worked on. */
async function keys(rig: Rig, client: Client, tables: string): Promise<readonly Row[]> {
  const tasks = Array.from({ length: 10_000 }, (_, n) => `key-${n}`);
  const began = now();
  for (let from = 0; from < tasks.length; from += 100)
    await Promise.all(
      tasks.slice(from, from + 100).flatMap((task) => [1, 2, 3].map(() => rig.wakes.wake(task))),
    );
  const sent = now() - began;
  const size = await client.query(
    `SELECT sum(pg_total_relation_size(c.oid))::float AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [tables],
  );
  const start = now();
  await rig.add(50);
  await rig.add(50);
  // Not longer than some seconds: with some engines it would take an hour.
  await Promise.race([rig.until(() => rig.count("key-") >= tasks.length), pause(DRAINED_MS)]);
  const drained = now() - start;
  const handled = rig.count("key-");
  const twice =
    handled - new Set(rig.reports.flatMap(({ task }) => (task.startsWith("key-") ? [task] : []))).size;
  if (handled < tasks.length) await client.query(`DELETE FROM ${tables}.job WHERE state < 'active'`);
  await rig.wakes.wake("again:1000");
  await rig.until(() => rig.count("again") === 1);
  for (let n = 0; n < 5; n += 1) await rig.wakes.wake("again:1000");
  await rig.until(
    () => rig.reports.filter(({ task, type }) => task === "again:1000" && type === "ended").length === 2,
  );
  await pause(3_000);
  const again = rig.reports.filter(({ task }) => task === "again:1000").map(({ type }) => type);
  await rig.end();
  return [
    ["30,000 wakes of 10,000 tasks, sent", `${formatNumber(30_000 / (sent / 1000))} wakes/s`],
    ["size of a waiting wake with its indexes", `${formatNumber(size.rows[0].bytes / 10_000)} bytes`],
    [
      "10,000 tasks, handled by 2 workers of 50",
      `${formatNumber(handled / (drained / 1000))} tasks/s, ${twice} twice`,
    ],
    ["5 wakes of a task that is worked on", again.join(", ")],
  ];
}

/** How late a wake at a time is. */
async function due(rig: Rig): Promise<Row> {
  await rig.add(10);
  await rig.add(10);
  const at = now() + 2_000;
  const times = Array.from({ length: 60 }, (_, n) => at + n * 50);
  await Promise.all(times.map((time, n) => rig.wakes.wake(`due-${n}`, Math.round(time))));
  await rig.until(() => rig.count("due-") === times.length);
  const late = times.map((time, n) => (rig.startedAt(`due-${n}`) ?? 0) - time);
  await rig.end();
  return [
    "lateness of 60 wakes at a time",
    `${spread(late)}, earliest ${formatNumber(Math.min(...late))} ms`,
  ];
}

/** A wake after all connections were broken, and one after a restart of the server. */
async function broken(rig: Rig, client: Client, cluster: Cluster): Promise<Row> {
  await rig.add(10);
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
  );
  const first = await recovered(rig, "terminated");
  await client.end();
  await cluster.stop("immediate");
  await cluster.resume();
  const second = await recovered(rig, "restarted");
  await rig.end();
  return ["wake after its connections were broken; after a restart of the server", `${first}; ${second}`];
}

async function recovered(rig: Rig, task: string): Promise<string> {
  const sent = now();
  for (let isSent = false; !isSent; )
    isSent = await rig.wakes.wake(task).then(
      () => true,
      () => pause(50).then(() => false),
    );
  await rig.until(() => rig.startedAt(task) !== undefined);
  return `${formatNumber((rig.startedAt(task) ?? 0) - sent)} ms`;
}

const SCHEMAS = {
  signalbox: "signalbox_wakes",
  "pg-boss notify": "boss_notify",
  "pg-boss poll": "boss_poll",
};

/** Run each measurement on a server of its own: the tasks of killed workers would be delivered to the next ones. */
async function measured(engine: Engine): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const run = async (
    work: (rig: Rig, client: Client, cluster: Cluster) => Promise<readonly Row[]>,
  ): Promise<void> => {
    const cluster = await Cluster.start();
    const client = new Client(cluster.url());
    client.on("error", () => {});
    await client.connect();
    const wakes = await openEngine(engine, cluster.url());
    const rig = new Rig(wakes, engine, cluster.url());
    try {
      const some = await work(rig, client, cluster);
      for (const row of some) console.error(`${engine}: ${row.join(": ")}`);
      rows.push(...some);
    } finally {
      await rig.end();
      await wakes.close();
      await cluster.remove();
    }
  };
  await run(async (rig) => [await latency(rig, 50, 0)]);
  await run(async (rig) => [await latency(rig, 50, 40)]);
  await run(async (rig) => [await takeover(rig)]);
  await run((rig, client) => keys(rig, client, SCHEMAS[engine]));
  await run(async (rig) => [await due(rig)]);
  await run(async (rig, client, cluster) => [await broken(rig, client, cluster)]);
  return rows;
}

const about = machine();
const engines = ENGINES.filter((engine) => only.length === 0 || only.includes(engine));
const columns: (readonly Row[])[] = [];
for (const engine of engines) columns.push(await measured(engine));
console.log(`${about}\n\n| what | ${engines.join(" | ")} |`);
console.log(`|-|${engines.map(() => "-|").join("")}`);
for (const [n, [what]] of (columns[0] ?? []).entries())
  console.log(`| ${what} | ${columns.map((rows) => rows[n]?.[1] ?? "").join(" | ")} |`);
process.exit(0);
