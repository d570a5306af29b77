import { fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestedObjects } from "../../../testing/index.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { program } from "../../support/program.ts";
import { conformanceOfObjects } from "../../testing/objects-conformance.ts";
import { PostgresRig } from "./rig.ts";

const MIB = 1024 * 1024;
const NAME = "output/1.log";

describe.skipIf(!hasPostgres)("objects in PostgreSQL", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  const taskOf = ({ driver }: TestedObjects): string => rig.taskOf(driver);
  async function rowsOf(task: string): Promise<{ objects: number; chunks: number }> {
    const { rows } = await rig.admin.query<{ objects: string; chunks: string }>(
      `SELECT count(DISTINCT o.id) AS objects, count(c.object) AS chunks
        FROM signalbox.object o LEFT JOIN signalbox.object_chunk c ON c.object = o.id WHERE o.task = $1`,
      [task],
    );
    return { objects: Number(rows[0]?.objects), chunks: Number(rows[0]?.chunks) };
  }
  async function owned(task = rig.newTask()): Promise<TestedObjects> {
    const tested = rig.objectsOfNewWorker(task);
    await tested.driver.own();
    return tested;
  }
  async function* text(content: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(content);
  }

  conformanceOfObjects("the rows of a task", {
    make: async () => rig.objectsOfNewWorker(rig.newTask()),
    another: async (tested) => rig.objectsOfNewWorker(taskOf(tested)),
    deleteTask: async (tested) => {
      await rig.admin.query("DELETE FROM signalbox.task WHERE id = $1", [taskOf(tested)]);
      expect(await rowsOf(taskOf(tested))).toEqual({ objects: 0, chunks: 0 });
    },
    expire: (tested) => rig.expire(taskOf(tested)),
  });

  test("100 MB are put and read with at most two chunks in memory", async () => {
    const tested = await owned();
    const task = taskOf(tested);
    let given = 0;
    let aheadMax = 0;
    async function* content(): AsyncGenerator<Uint8Array> {
      for (let part = 0; part < 400; part += 1) {
        aheadMax = Math.max(aheadMax, given - (await rowsOf(task)).chunks * MIB);
        const bytes = Buffer.alloc(MIB / 4, part % 251);
        given += bytes.length;
        yield bytes;
      }
    }
    await tested.objects.put(NAME, content());
    expect(given).toBe(100 * MIB);
    expect(aheadMax).toBeLessThanOrEqual(2 * MIB);
    expect(await tested.objects.list("output")).toEqual([{ name: NAME, bytes: given }]);
    let read = 0;
    for await (const chunk of tested.objects.read(NAME)) {
      expect(chunk.length).toBeLessThanOrEqual(MIB);
      for (let at = 0; at < chunk.length; at += MIB / 4)
        expect(chunk[at]).toBe(((read + at) / (MIB / 4)) % 251);
      read += chunk.length;
    }
    expect(read).toBe(given);
    await tested.driver.close();
  });

  test("nothing of a put is visible whose process is killed, and the put of the next owner removes its rows", async () => {
    const task = rig.newTask();
    const child = fork(await program(new URL("./putter.child.ts", import.meta.url)), [
      rig.cluster.url(),
      task,
    ]);
    const exited = once(child, "exit");
    await once(child, "message");
    child.kill("SIGKILL");
    expect((await exited)[1]).toBe("SIGKILL");
    expect(await rowsOf(task)).toEqual({ objects: 1, chunks: 3 });
    await rig.expire(task);
    const next = await owned(task);
    expect(await next.objects.list("output")).toEqual([]);
    await expect(next.objects.read(NAME)[Symbol.asyncIterator]().next()).rejects.toThrow("found none");
    await next.objects.put(NAME, text("whole"));
    expect(await rowsOf(task)).toEqual({ objects: 1, chunks: 1 });
    await next.driver.close();
  });

  test("a put whose statement fails is rejected and leaves no rows, and can be repeated", async () => {
    const tested = await owned();
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(2 * MIB);
      await rig.admin.query("ALTER TABLE signalbox.object_chunk RENAME TO away");
      yield Buffer.alloc(2 * MIB);
    }
    await expect(tested.objects.put(NAME, failing())).rejects.toMatchObject({ code: "OBJECT_IO" });
    await rig.admin.query("ALTER TABLE signalbox.away RENAME TO object_chunk");
    expect(await rowsOf(taskOf(tested))).toEqual({ objects: 0, chunks: 0 });
    await tested.objects.put(NAME, text("again"));
    expect(await tested.objects.list("output")).toEqual([{ name: NAME, bytes: 5 }]);
    await tested.driver.close();
  });

  test("rejects the reader of an object that is replaced in between", async () => {
    const { objects, driver } = await owned();
    async function* large(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(3 * MIB);
    }
    await objects.put(NAME, large());
    const reader = objects.read(NAME)[Symbol.asyncIterator]();
    await reader.next();
    await objects.put(NAME, text("new"));
    await expect(reader.next()).rejects.toMatchObject({ code: "OBJECT_CHANGED" });
    await driver.close();
  });
});
