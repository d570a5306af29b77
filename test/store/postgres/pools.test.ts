import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../../store/postgres/database.ts";
import { MIGRATIONS, migrate } from "../../../store/postgres/migrations.ts";
import { openPostgres, type PostgresStore } from "../../../store/postgres/store.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { started } from "../task-history/data-folder.ts";
import { journalOf } from "../task-history/history-suite.ts";
import { PostgresRig } from "./rig.ts";

const START = { kind: "start", prompt: "Go", images: [] };

describe.skipIf(!hasPostgres)("pools of tasks in PostgreSQL", () => {
  let rig: PostgresRig;
  let store: PostgresStore;
  beforeAll(async () => {
    rig = await PostgresRig.start();
    store = await rig.store();
  });
  afterAll(() => rig.remove());

  /** A task of a pool, with records. */
  async function startedIn(pool: string): Promise<string> {
    const task = rig.newTask();
    const position = await store.inbox.put(task, "start", START, pool);
    await rig.fill(task, journalOf(task, [started("go")]));
    await store.inbox.remove(task, position);
    return task;
  }

  test("a task is in the pool that its start names, for every process", async () => {
    const [gpu, other] = [await startedIn("gpu"), await startedIn("default")];
    const { pools } = await rig.store();
    expect([await pools.poolOf(gpu), await pools.poolOf(other), await pools.poolOf("none")]).toEqual([
      "gpu",
      "default",
      "default",
    ]);
    expect(await pools.poolsOf([gpu, other, "none"])).toEqual(new Map([[gpu, "gpu"]]));
  });

  test("the first start of a task decides its pool, while it waits and after it was taken", async () => {
    const task = rig.newTask();
    expect(await store.inbox.put(task, "a", START, "gpu")).toBe(1);
    expect(await store.inbox.put(task, "a", START, "other")).toBe(1);
    expect(await store.inbox.put(task, "b", START, "default")).toBe(2);
    expect(await store.pools.poolOf(task)).toBe("gpu");
    const taken = await startedIn("gpu");
    await store.inbox.put(taken, "again", START, "other");
    await store.inbox.put(taken, "message", { kind: "message", text: "Go on" });
    expect(await store.pools.poolOf(taken)).toBe("gpu");
  });

  test("the start after one that was refused decides again", async () => {
    const task = rig.newTask();
    const position = await store.inbox.put(task, "a", START, "gpu");
    await store.inbox.refuse(task, position, { code: "not_a_folder", message: "No folder." });
    // The sender repeats the first put, which had no answer.
    await store.inbox.put(task, "a", START, "gpu");
    await store.inbox.put(task, "b", START, "default");
    expect(await store.pools.poolOf(task)).toBe("default");
  });

  test("a fork is in the pool of its original, and the fork of a subtask in the pool of its root", async () => {
    const task = await startedIn("gpu");
    const parent = { taskId: task, rootId: task, callId: "c" };
    await rig.fill(`${task}.1`, journalOf(`${task}.1`, [started("go")], { parent }));
    const { id } = await store.history.fork(task);
    const { id: ofSubtask } = await store.history.fork(`${task}.1`);
    expect([await store.pools.poolOf(id), await store.pools.poolOf(ofSubtask)]).toEqual(["gpu", "gpu"]);
    const chosen = rig.newTask();
    const position = await store.inbox.put(chosen, "a", START, "gpu");
    await store.inbox.refuse(chosen, position, { code: "not_a_folder", message: "No folder." });
    await store.history.fork(await startedIn("default"), { newId: chosen });
    expect(await store.pools.poolOf(chosen)).toBe("default");
  });

  test("a deleted task leaves no pool to the next one with its id", async () => {
    const task = await startedIn("gpu");
    await store.history.delete(task);
    expect(await store.pools.poolOf(task)).toBe("default");
  });

  test.each(["", "Upper", "a b", "-a", "a/b", "x".repeat(41)])(
    "a start with the pool %j is refused, and nothing is stored",
    async (pool) => {
      const task = rig.newTask();
      await expect(store.inbox.put(task, "a", START, pool)).rejects.toMatchObject({
        code: "DATABASE_OPTION",
        message: expect.stringContaining("Expected a pool of 1 to 40 lower-case letters"),
      });
      expect(await store.inbox.after(task, 0)).toEqual([]);
    },
  );

  test("tasks of an earlier version are in the pool default, and their commands are kept", async () => {
    const database = await Database.open({ url: rig.cluster.url() });

    await migrate(database, "earlier", MIGRATIONS.slice(0, 5));
    await rig.admin.query("INSERT INTO earlier.task (id) VALUES ('old')");
    await rig.admin.query("SELECT earlier.put_command('new', 'a', '{\"kind\":\"start\"}', 10, 'channel')");
    expect(await migrate(database, "earlier")).toMatchObject({ from: 5 });
    await database.close();
    const later = await openPostgres({ url: rig.cluster.url(), schema: "earlier" });
    expect([await later.pools.poolOf("old"), await later.pools.poolOf("new")]).toEqual([
      "default",
      "default",
    ]);
    expect(await later.inbox.after("new", 0)).toMatchObject([{ position: 1 }]);
    await later.close();
  });
});
