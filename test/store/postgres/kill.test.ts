import { fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "../../support/postgres.ts";
import { program } from "../../support/program.ts";
import { commit, lines, readAll } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

/** The numbers of durable records after which the process is killed. */
const KILLS = [0, 1, 5, 20, 60, 100];

describe.skipIf(!hasPostgres)("a journal in PostgreSQL", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  test.each(KILLS)(
    "L11: has every record that was durable before SIGKILL, without a gap, and is continued by another (%i)",
    async (after) => {
      const task = rig.newTask();
      const child = fork(await program(new URL("./appender.child.ts", import.meta.url)), [
        rig.cluster.url(),
        task,
      ]);
      let durable = -1;
      const exited = once(child, "exit");
      child.on("message", (seq) => {
        durable = Number(seq);
        if (durable === after) child.kill("SIGKILL");
      });
      const [, signal] = await exited;
      expect(signal).toBe("SIGKILL");
      const driver = rig.journalOfNewWorker(task);
      await expect(driver.own()).rejects.toThrow(new RegExp(`process ${child.pid} on `));
      await rig.expire(task);
      await driver.own();
      const { seqs, tails } = await readAll(driver);
      expect(tails).toEqual([]);
      expect(seqs).toEqual([...seqs.keys()]);
      // One append may have been in flight.
      expect(seqs.length - 1).toBeGreaterThanOrEqual(durable);
      expect(seqs.length - 1).toBeLessThanOrEqual(durable + 1);
      await driver.append(lines(commit(seqs.length)));
      expect((await readAll(driver)).seqs).toHaveLength(seqs.length + 1);
      await driver.close();
    },
  );
});
