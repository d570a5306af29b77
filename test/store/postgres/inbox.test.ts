import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskChannel } from "../../../store/postgres/channel.ts";
import { Database } from "../../../store/postgres/database.ts";
import { PostgresInbox } from "../../../store/postgres/inbox.ts";
import { tablesIn } from "../../../store/postgres/tables.ts";
import { deferred } from "../../support/model.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { HeldTime } from "../ownership/held-time.ts";
import { PostgresRig } from "./rig.ts";

const CANCEL = { kind: "cancel" };
const LISTENERS =
  "pid IN (SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1')";

/** Notifications in the order of their arrival. */
class Watcher {
  readonly events: string[] = [];
  #arrived = deferred();

  readonly listener = {
    onAdded: (taskId: string) => this.#add(taskId),
    onGap: () => this.#add("gap"),
  };

  /** Resolves once so many events have arrived. */
  async until(count: number): Promise<readonly string[]> {
    while (this.events.length < count) await this.#arrived.promise;
    return this.events;
  }

  #add(event: string): void {
    this.events.push(event);
    this.#arrived.resolve();
    this.#arrived = deferred();
  }
}

describe.skipIf(!hasPostgres)("an inbox in PostgreSQL", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  /** An inbox of a process of its own, with these options. */
  async function inboxWith(options: Partial<ConstructorParameters<typeof PostgresInbox>[0]>) {
    const database = await Database.open({ url: rig.cluster.url() });
    const channel = new TaskChannel({ database, schema: "signalbox", clock: new HeldTime().clock });
    const inbox = new PostgresInbox({ database, tables: tablesIn("signalbox"), channel, ...options });
    const close = async (): Promise<void> => {
      await channel.close();
      await database.close();
    };
    return { inbox, [Symbol.asyncDispose]: close };
  }

  test("gives each command of a task the next position, and reads them in order after one", async () => {
    const { inbox } = await rig.store();
    const [one, other] = [rig.newTask(), rig.newTask()];
    expect(await inbox.put(one, "a", CANCEL)).toBe(1);
    expect(await inbox.put(other, "a", CANCEL)).toBe(1);
    expect(await inbox.put(one, "b", { kind: "pause" })).toBe(2);
    expect(await inbox.put(one, "c", null)).toBe(3);
    expect(await inbox.after(one, 1)).toEqual([
      { taskId: one, position: 2, command: { kind: "pause" } },
      { taskId: one, position: 3, command: null },
    ]);
    expect(await inbox.after("no-such-task", 0)).toEqual([]);
  });

  test("adds nothing for an id that it has, also after the command was removed", async () => {
    const { inbox } = await rig.store();
    const task = rig.newTask();
    await inbox.put(task, "a", CANCEL);
    expect(await inbox.put(task, "a", { kind: "pause" })).toBe(1);
    await inbox.remove(task, 1);
    expect(await inbox.put(task, "a", CANCEL)).toBe(1);
    expect(await inbox.after(task, 0)).toEqual([]);
  });

  test("has the outcome of a command once it is removed: applied, refused by its task, or without a task", async () => {
    const { inbox } = await rig.store();
    const [task, other] = [rig.newTask(), rig.newTask()];
    for (const id of ["a", "b", "c"]) await inbox.put(task, id, CANCEL);
    // The content of a message looks like the mark of a command.
    const lines = [
      { kind: "commit", inbox: { position: 1 } },
      { kind: "commit", inbox: { position: 2, refused: "TASK_AT_REST" } },
      { kind: "commit", log: [{ inbox: { position: 1, refused: "NO" } }] },
    ];
    await rig.fill(task, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
    expect(await inbox.outcome(task, 1)).toBeUndefined();
    await inbox.remove(task, 2);
    expect(await inbox.outcome(task, 1)).toEqual({});
    expect(await inbox.outcome(task, 2)).toEqual({ refused: "TASK_AT_REST" });
    expect(await inbox.outcome(task, 3)).toBeUndefined();
    await inbox.put(other, "a", CANCEL);
    const error = Object.assign(new Error("There is no folder."), { code: "NOT_FOUND" });
    await inbox.refuse(other, 1, error);
    expect(await inbox.outcome(other, 1)).toEqual({ refused: "NOT_FOUND", message: "There is no folder." });
    expect(await inbox.after(other, 0)).toEqual([]);
  });

  test("tells who watches that a command was taken, or refused", async () => {
    const { inbox } = await rig.store();
    const task = rig.newTask();
    const { inbox: watched } = await rig.store();
    const watcher = new Watcher();
    const unwatch = watched.watch({ ...watcher.listener, onTaken: watcher.listener.onAdded });
    await watcher.until(1);
    await inbox.put(task, "a", CANCEL);
    await inbox.remove(task, 1);
    await inbox.put(task, "b", CANCEL);
    await inbox.refuse(task, 2, { code: "NO", message: "No." });
    expect(await watcher.until(5)).toEqual(["gap", task, task, task, task]);
    unwatch();
  });

  test("never uses a position again, and forgets ids after a day", async () => {
    const { inbox } = await rig.store();
    const task = rig.newTask();
    for (const id of ["a", "b", "c"]) await inbox.put(task, id, CANCEL);
    await inbox.remove(task, 3);
    expect(await inbox.put(task, "d", CANCEL)).toBe(4);
    const age = "UPDATE signalbox.inbox SET added_at = added_at - interval '25 hours' WHERE task = $1";
    await rig.admin.query(age, [task]);
    await inbox.remove(task, 4);
    const { rows } = await rig.admin.query("SELECT id FROM signalbox.inbox WHERE task = $1", [task]);
    expect(rows).toEqual([{ id: "d" }]);
    expect(await inbox.put(task, "a", CANCEL)).toBe(5);
  });

  test("gives positions without gaps to commands that are added at the same time", async () => {
    const stores = await Promise.all([rig.store(), rig.store()]);
    const task = rig.newTask();
    const puts = Array.from({ length: 60 }, (_, n) => stores[n % 2]?.inbox.put(task, `${n % 50}`, { n }));
    const positions = await Promise.all(puts);
    expect(new Set(positions).size).toBe(50);
    expect(Math.max(...positions.map(Number))).toBe(50);
  });

  test("keeps every text, and reads more commands than one statement returns", async () => {
    const { inbox } = await rig.store();
    const task = rig.newTask();
    const text = "\u0000 \ud800 é😀 \\u0000 \"'";
    for (let n = 0; n < 120; n += 1) await inbox.put(task, `${n}`, { kind: "message", text });
    const first = await inbox.after(task, 0);
    const rest = await inbox.after(task, first.at(-1)?.position ?? 0);
    expect([...first, ...rest].map(({ position }) => position)).toEqual(
      Array.from({ length: 120 }, (_, n) => n + 1),
    );
    expect(rest.at(-1)?.command).toEqual({ kind: "message", text });
  });

  test("refuses commands over its limit, and what it can't keep", async () => {
    await using opened = await inboxWith({ inboxLimit: 2 });
    const { inbox } = opened;
    const task = rig.newTask();
    await inbox.put(task, "a", CANCEL);
    await inbox.put(task, "b", CANCEL);
    await expect(inbox.put(task, "c", CANCEL)).rejects.toMatchObject({ code: "INBOX_FULL" });
    expect(await inbox.put(task, "b", CANCEL)).toBe(2);
    await inbox.remove(task, 1);
    expect(await inbox.put(task, "c", CANCEL)).toBe(3);
    for (const [id, key, command] of [
      ["../up", "a", CANCEL],
      [task, "", CANCEL],
      [task, "x".repeat(201), CANCEL],
      [task, "d", undefined],
    ] as const)
      await expect(inbox.put(id, key, command)).rejects.toMatchObject({ code: "DATABASE_OPTION" });
  });

  test("notifies each process that watches, and reports the gap before", async () => {
    const [sender, one, other] = await Promise.all([rig.store(), rig.store(), rig.store()]);
    const watchers = [one, other].map(({ inbox }) => {
      const watcher = new Watcher();
      const unwatch = inbox.watch(watcher.listener);
      return { watcher, unwatch };
    });
    for (const { watcher } of watchers) expect(await watcher.until(1)).toEqual(["gap"]);
    const task = rig.newTask();
    await sender.inbox.put(task, "a", CANCEL);
    for (const { watcher } of watchers) expect(await watcher.until(2)).toEqual(["gap", task]);
    for (const { unwatch } of watchers) unwatch();
  });

  test("finds a lost connection: it listens again and reports a gap", async () => {
    const store = await rig.store();
    const watcher = new Watcher();
    const unwatch = store.inbox.watch(watcher.listener);
    await watcher.until(1);
    await rig.admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENERS}`);
    await watcher.until(2);
    const task = rig.newTask();
    await store.inbox.put(task, "a", CANCEL);
    expect(await watcher.until(3)).toEqual(["gap", "gap", task]);
    unwatch();
  });

  test("listens again after the server was stopped and started", async () => {
    const store = await rig.store();
    const watcher = new Watcher();
    const unwatch = store.inbox.watch(watcher.listener);
    await watcher.until(1);
    await rig.cluster.stop("immediate");
    await rig.cluster.resume();
    await watcher.until(2);
    const task = rig.newTask();
    await store.inbox.put(task, "a", CANCEL);
    expect(await watcher.until(3)).toEqual(["gap", "gap", task]);
    unwatch();
  });
});
