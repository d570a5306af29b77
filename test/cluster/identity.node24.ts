import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { deferred } from "../../cluster/deferred.ts";
import { openWakes, type PostgresWakes } from "../../cluster/wakes/wakes.ts";
import { createWorker } from "../../cluster/worker/worker.ts";
import { Database } from "../../store/postgres/database.ts";
import { migrate } from "../../store/postgres/migrations.ts";
import { openPostgres, type PostgresStore } from "../../store/postgres/store.ts";
import { scriptedModel } from "../../testing/index.ts";
import { Cluster } from "../support/postgres.ts";

let cluster: Cluster;
let database: Database;
const closing: { close(): Promise<void> }[] = [];
let schemas = 0;
/** Two stores in schemas of their own, which have no wakes yet. */
let one: PostgresStore;
let other: PostgresStore;
beforeAll(async () => {
  cluster = await Cluster.start();
  database = await Database.open({ url: cluster.url() });
});
beforeEach(async () => {
  [one, other] = [await newStore(), await newStore()];
});
afterAll(async () => {
  for (const each of closing.reverse()) await each.close();
  await database.close();
  await cluster.remove();
});

async function newStore(): Promise<PostgresStore> {
  schemas += 1;
  const schema = `tasks_${schemas}`;
  await migrate(database, schema);
  const store = await openPostgres({ url: cluster.url(), schema });
  closing.push(store);
  return store;
}

async function open(store: PostgresStore, schema?: string): Promise<PostgresWakes> {
  const own = schema === undefined ? {} : { schema };
  const wakes = await openWakes({ url: cluster.url(), store, onError: console.error, ...own });
  closing.push(wakes);
  return wakes;
}

/** Resolves once a wake was delivered. */
async function delivers(wakes: PostgresWakes): Promise<void> {
  const handled = deferred();
  const work = await wakes.work(async () => handled.resolve(), { atOnce: 1 });
  await wakes.wake("task");
  await handled.promise;
  await work.stop();
}

test("two stores have their wakes in two schemas", async () => {
  const wakes = await Promise.all([open(one), open(other)]);
  for (const each of wakes) await delivers(each);
  const { rows } = await database.query(
    "SELECT nspname FROM pg_namespace WHERE nspname = ANY ($1::text[]) ORDER BY 1",
    [[`${one.schema}_wakes`, `${other.schema}_wakes`]],
  );
  expect(rows).toHaveLength(2);
});

test("wakes of one store refuse another, and both go on with their own", async () => {
  const wakes = await open(one);
  await expect(open(other, `${one.schema}_wakes`)).rejects.toMatchObject({
    code: "CLUSTER_MISMATCH",
    message: expect.stringContaining(
      `Expected the wakes in schema ${one.schema}_wakes to belong to the tasks in schema ${other.schema}`,
    ),
  });
  await delivers(wakes);
  await delivers(await open(other));
});

test("a store that has wakes refuses others, and another store can have those", async () => {
  const wakes = await open(one);
  const second = `${one.schema}_second`;
  await expect(open(one, second)).rejects.toMatchObject({
    code: "CLUSTER_MISMATCH",
    message: expect.stringContaining("workers that use both would miss wakes"),
  });
  await delivers(wakes);
  await delivers(await open(one));
  await delivers(await open(other, second));
});

test("a store whose wakes were dropped has new ones after the statement in the message", async () => {
  await (await open(one)).close();
  await database.query(`DROP SCHEMA ${one.schema}_wakes CASCADE`);
  const message: string = await open(one).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(message).toContain("If those wakes no longer exist");
  const [, statement = ""] = /run: (UPDATE .+)$/.exec(message) ?? [];
  await database.query(statement);
  await delivers(await open(one));
});

test("processes that open new wakes at the same time have the same ones", async () => {
  const opened = await Promise.all([1, 2, 3, 4].map(() => open(one)));
  expect(new Set(opened.map(({ storeId }) => storeId)).size).toBe(1);
  const { wakes } = await one.identity.read();
  expect(wakes).toMatch(/^[0-9a-f-]{36}$/);
});

test("one of two stores that open the same new wakes at the same time is refused", async () => {
  const both = await Promise.allSettled([open(one, "shared"), open(other, "shared")]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(both.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "CLUSTER_MISMATCH" },
  });
});

test("a worker refuses the wakes of another store than its own", async () => {
  const wakes = await open(one);
  const task = { model: scriptedModel([]) };
  await expect(createWorker({ store: other, wakes, task, onError: console.error })).rejects.toMatchObject({
    code: "CLUSTER_MISMATCH",
    message: expect.stringContaining("openWakes({ store })"),
  });
});
