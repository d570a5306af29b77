import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deferred } from "../../cluster/deferred.ts";
import { openWakes, type PostgresWakes, type WakesOptions } from "../../cluster/wakes/wakes.ts";
import { Cluster } from "../support/postgres.ts";
import { memoryStore } from "./memory-store.ts";

let cluster: Cluster;
let schemas = 0;
const opened: PostgresWakes[] = [];
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(async () => {
  await Promise.all(opened.map((wakes) => wakes.close()));
  await cluster.remove();
});

const newSchema = (): string => {
  schemas += 1;
  return `wakes_${schemas}`;
};

async function open(options: Partial<WakesOptions> = { schema: newSchema() }): Promise<PostgresWakes> {
  const wakes = await openWakes({ url: cluster.url(), store: memoryStore(), onError: () => {}, ...options });
  opened.push(wakes);
  return wakes;
}

test("a wake that no worker works on yet is delivered once, however often the task is woken", async () => {
  const wakes = await open();
  for (let n = 0; n < 5; n += 1) await wakes.wake("one");
  await wakes.wake("two");
  const handled: string[] = [];
  const both = deferred();
  await wakes.work(
    async (task) => {
      handled.push(task);
      if (task === "two") both.resolve();
    },
    { atOnce: 1 },
  );
  await both.promise;
  await wakes.close();
  expect(handled).toEqual(["one", "two"]);
});

test("a wake while a worker works on the task is delivered after that, to one worker at a time", async () => {
  const schema = newSchema();
  const workers = [await open({ schema }), await open({ schema })];
  const [wakes] = workers;
  const [started, released, second] = [deferred(), deferred(), deferred()];
  let atOnce = 0;
  let count = 0;
  const handler = async (): Promise<void> => {
    atOnce += 1;
    count += 1;
    expect(atOnce).toBe(1);
    if (count === 1) {
      started.resolve();
      await released.promise;
    } else second.resolve();
    atOnce -= 1;
  };
  for (const worker of workers) await worker.work(handler, { atOnce: 4 });
  await wakes?.wake("task");
  await started.promise;
  for (let n = 0; n < 3; n += 1) await wakes?.wake("task");
  expect(count).toBe(1);
  released.resolve();
  await second.promise;
  for (const worker of workers) await worker.close();
  expect(count).toBe(2);
});

test("a worker handles at most atOnce wakes at the same time", async () => {
  const wakes = await open();
  const tasks = Array.from({ length: 12 }, (_, n) => `task-${n}`);
  for (const task of tasks) await wakes.wake(task);
  const all = deferred();
  const handled = new Set<string>();
  let [now, most] = [0, 0];
  await wakes.work(
    async (task) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      if (handled.add(task).size === tasks.length) all.resolve();
    },
    { atOnce: 3 },
  );
  await all.promise;
  expect(most).toBe(3);
});

test("a wake at a time is delivered then, and one for now does not wait for it", async () => {
  const wakes = await open();
  const at = Date.now() + 2_000;
  const times: number[] = [];
  const [first, second] = [deferred(), deferred()];
  await wakes.work(
    async () => {
      times.push(Date.now());
      if (times.length === 1) first.resolve();
      else second.resolve();
    },
    { atOnce: 1 },
  );
  await wakes.wake("task", at);
  await wakes.wake("task", at);
  await wakes.wake("task");
  await first.promise;
  await second.promise;
  expect(times).toHaveLength(2);
  expect(times[0]).toBeLessThan(at);
  expect(times[1]).toBeGreaterThanOrEqual(at);
});

test("a wake whose handler rejects is delivered again, then parked, and delivered again once it is retried", async () => {
  const wakes = await open({ schema: newSchema(), retries: 1, onError: () => {} });
  let count = 0;
  let problem: Error | undefined = new Error("can't be opened");
  const handled = deferred();
  await wakes.work(
    async () => {
      count += 1;
      if (problem !== undefined) throw problem;
      handled.resolve();
    },
    { atOnce: 1 },
  );
  await wakes.wake("poisoned");
  await expect.poll(() => wakes.parked()).toMatchObject([{ taskId: "poisoned" }]);
  expect(count).toBe(2);
  problem = undefined;
  await wakes.retry("poisoned");
  await handled.promise;
  expect(await wakes.parked()).toEqual([]);
});

test("a worker takes the wakes of its pools only, at once, when they are due, and after they were parked", async () => {
  const schema = newSchema();
  const store = memoryStore(
    new Map([
      ["gpu", "gpu"],
      ["late", "gpu"],
      ["poisoned", "gpu"],
      ["web", "browsers"],
    ]),
  );
  const [sender, standard, pooled] = [
    await open({ schema, store, retries: 0 }),
    await open({ schema, store }),
    await open({ schema, store }),
  ];
  await sender.wake("gpu");
  await sender.wake("late", Date.now() + 1_000);
  const handled: string[] = [];
  await standard.work(async (task) => void handled.push(`standard ${task}`), { atOnce: 4 });
  await standard.wake("any");
  await expect.poll(() => handled).toEqual(["standard any"]);
  let isPoisoned = true;
  const handler = async (task: string): Promise<void> => {
    if (task === "poisoned" && isPoisoned) throw new Error("can't be opened");
    handled.push(`pooled ${task}`);
  };
  await pooled.work(handler, { atOnce: 1, pools: ["gpu", "browsers", "gpu"] });
  await sender.wake("poisoned");
  await expect.poll(() => sender.parked()).toMatchObject([{ taskId: "poisoned" }]);
  await sender.wake("web");
  await expect.poll(() => handled.slice(1).sort()).toEqual(["pooled gpu", "pooled late", "pooled web"]);
  isPoisoned = false;
  await sender.retry("poisoned");
  await expect.poll(() => handled.at(-1)).toBe("pooled poisoned");
  expect(handled.filter((entry) => entry.startsWith("standard"))).toEqual(["standard any"]);
});

test("a pool with more wakes than a worker handles does not keep its other pools waiting", async () => {
  const names = Array.from({ length: 20 }, (_, n) => `many-${n}`);
  const wakes = await open({
    schema: newSchema(),
    store: memoryStore(new Map([...names.map((name) => [name, "many"] as const), ["one", "few"]])),
  });
  for (const name of names) await wakes.wake(name);
  await wakes.wake("one");
  const handled: string[] = [];
  await wakes.work(async (task) => void handled.push(task), { atOnce: 1, pools: ["many", "few"] });
  await expect.poll(() => handled.length).toBe(21);
  expect(handled.indexOf("one")).toBeLessThan(3);
});

test("a worker that stops aborts its handlers, and a wake that it did not finish is delivered to another at once", async () => {
  const schema = newSchema();
  let isStoreClosed = false;
  const poolOf = async (): Promise<string> => {
    if (isStoreClosed) throw new Error("The store is closed.");
    return "default";
  };
  // A worker that drains has closed its store by then.
  const store = { ...memoryStore(), pools: { poolOf } };
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const [stopping, other] = [await open({ schema, store, onError }), await open({ schema })];
  const started = deferred();
  const work = await stopping.work(
    async (_, signal) => {
      started.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
    { atOnce: 1 },
  );
  await stopping.wake("task");
  await started.promise;
  isStoreClosed = true;
  await work.stop();
  const taken = deferred();
  await other.work(async () => taken.resolve(), { atOnce: 1 });
  await taken.promise;
  expect(errors).toEqual([]);
});

test("wakes go on after the connections were broken", async () => {
  const wakes = await open({ schema: newSchema(), onError: () => {} });
  const client = new Client(cluster.url());
  await client.connect();
  const handled = deferred();
  await wakes.work(async () => handled.resolve(), { atOnce: 1 });
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
  );
  await client.end();
  await expect.poll(() => wakes.wake("task").then(() => "woken")).toBe("woken");
  await handled.promise;
});

test("a schema that is no name, a database that can't be reached and an invalid atOnce or pool are errors with a code", async () => {
  await expect(
    openWakes({ url: cluster.url(), store: memoryStore(), schema: "No;Name", onError: console.error }),
  ).rejects.toMatchObject({
    code: "CLUSTER_OPTION",
  });
  await expect(
    openWakes({ url: cluster.url("none"), store: memoryStore(), onError: console.error }),
  ).rejects.toMatchObject({
    code: "WAKES_UNAVAILABLE",
  });
  const wakes = await open();
  await expect(wakes.work(async () => {}, { atOnce: 0 })).rejects.toMatchObject({ code: "CLUSTER_OPTION" });
  for (const pools of [[], ["Big GPUs"]])
    await expect(wakes.work(async () => {}, { atOnce: 1, pools })).rejects.toMatchObject({
      code: "CLUSTER_OPTION",
      message: expect.stringContaining("pool"),
    });
  await wakes.close();
  await expect(wakes.wake("task")).rejects.toMatchObject({ code: "WAKES_CLOSED" });
});
