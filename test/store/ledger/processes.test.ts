import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../actors/index.ts";
import { readLedger, verifyLedger } from "../../../store/index.ts";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { withLock } from "../../../store/ledger/lock.ts";
import { program } from "../../support/program.ts";
import { type LedgerRig, ledgerOf, openLedgerRig } from "./ledger-rig.ts";

let rig: LedgerRig;
beforeEach(async () => {
  rig = await openLedgerRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** A process that is ready to write. It begins when it gets a message. */
async function start(task: string, count: number): Promise<ChildProcess> {
  const file = await program(new URL("./writer.child.ts", import.meta.url));
  const child = fork(file, [rig.root, rig.dataDir, task, String(count)]);
  await once(child, "message");
  return child;
}

describe("a ledger that several processes write to", () => {
  test("has each write of each task once and in order", async () => {
    const children = await Promise.all(["t1", "t2", "t3"].map((task) => start(task, 15)));
    const exits = children.map((child) => once(child, "exit"));
    for (const child of children) child.send("go");
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0]);
    expect(await verifyLedger(rig.root, rig.dataDir)).toEqual({
      lines: 90,
      tasks: 3,
      problems: [],
      unchecked: [],
    });
    const tasks = (await readLedger(rig.root)).map(({ line }) => line?.task);
    const changes = tasks.filter((task, index) => task !== tasks[index + 1]).length;
    // They really wrote at the same time.
    expect(changes).toBeGreaterThan(3);
    expect(await readdir(path.dirname(rig.path))).toEqual(["agent_trace.jsonl"]);
  });

  test("gets the lines of a process that was killed between the record and its line, once, when the task is opened", async () => {
    const file = new LedgerFile(rig.root, { clock: systemClock });
    const lock = path.join(path.dirname(rig.path), "agent_trace.lock");
    await withLock(lock, { clock: systemClock }, async () => {
      const child = await start("t1", 1);
      child.send("go");
      // The record is durable. The line waits for the lock, which this process has.
      await once(child, "message");
      child.kill("SIGKILL");
      await once(child, "exit");
    });
    const task = rig.open("t1");
    await task.driver.own();
    expect(await verifyLedger(rig.root, rig.dataDir).catch((error: unknown) => error)).toMatchObject({
      code: "LEDGER_MISSING",
    });
    await ledgerOf(file, task.driver, "t1", true).catchUp();
    await ledgerOf(file, task.driver, "t1", true).catchUp();
    await task.driver.close();
    expect(await verifyLedger(rig.root, rig.dataDir)).toEqual({
      lines: 2,
      tasks: 1,
      problems: [],
      unchecked: [],
    });
  });

  test("takes over the lock of a process that was killed while it had it", async () => {
    const lock = path.join(path.dirname(rig.path), "agent_trace.lock");
    const child = fork(await program(new URL("./locker.child.ts", import.meta.url)), [lock]);
    await once(child, "message");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await readdir(path.dirname(rig.path))).toEqual(["agent_trace.lock"]);
    await new LedgerFile(rig.root, { clock: systemClock }).update(async (ledger) => ledger.newest("t1"));
    expect(await readdir(path.dirname(rig.path))).toEqual(["agent_trace.jsonl"]);
  });

  test("rejects with LEDGER_LOCKED after the time to wait, and names the lock", async () => {
    const lock = path.join(path.dirname(rig.path), "agent_trace.lock");
    const other = new LedgerFile(rig.root, { clock: systemClock, lockWaitMs: 50 });
    await withLock(lock, { clock: systemClock }, async () => {
      await expect(other.update(async () => undefined)).rejects.toMatchObject({
        code: "LEDGER_LOCKED",
        message: expect.stringContaining(lock),
      });
    });
    await other.update(async () => undefined);
  });
});
