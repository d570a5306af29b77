import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeLine } from "../../../store/journal/line.ts";
import { openPostgres, type PostgresStore } from "../../../store/postgres/store.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { choice } from "../../support/random-events.ts";
import { Archive, commit, started, writeRandom } from "../task-history/data-folder.ts";
import { describeHistory, journalOf } from "../task-history/history-suite.ts";
import { PostgresRig } from "./rig.ts";

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  describeHistory("PostgreSQL", async () => {
    const rig = await PostgresRig.start();
    const store = await rig.store();
    return {
      history: store.history,
      put: (id, bytes) => rig.fill(id, bytes),
      journal: (id) => rig.journalOfNewWorker(id),
      clear: () => rig.clear(),
      close: () => rig.remove(),
    };
  });

  describe("the task history", () => {
    let rig: PostgresRig;
    let store: PostgresStore;
    beforeAll(async () => {
      rig = await PostgresRig.start();
      store = await rig.store();
    });
    beforeEach(() => rig.clear());
    afterAll(() => rig.remove());

    const atRest = (seq: number) => encodeLine(commit(seq, { after: "resumable" }));
    const due = async (): Promise<number> => {
      const { rows } = await rig.admin.query(
        "SELECT FROM signalbox.task WHERE owner IS NOT NULL OR summarized_epoch IS DISTINCT FROM epoch",
      );
      return rows.length;
    };

    test("equals the one of the same journals in files, whatever happened and wherever they end", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(choice, { minLength: 5, maxLength: 40 }),
          fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
          async (choices, cuts) => {
            using archive = new Archive();
            await rig.clear();
            await writeRandom(archive, "whole", choices);
            const bytes = archive.bytes("whole");
            const head = bytes.indexOf("\n") + 1;
            for (const [index, cut] of cuts.entries())
              archive.put(`cut-${index}`, bytes.subarray(0, head + (cut % (bytes.length - head + 1))));
            const files = fileHistory(archive.dataDir);
            for (const id of await files.ids()) await rig.fill(id, archive.bytes(id));
            expect(await store.history.list()).toEqual(await files.list({}));
            for (const id of await files.ids())
              expect(await store.history.summary(id)).toEqual(await files.summary(id));
          },
        ),
        { numRuns: 12, seed: 7, endOnFailure: true },
      );
    });

    test("summarizes a task again only where its journal may have changed", async () => {
      for (const id of ["a", "b"]) await rig.fill(id, journalOf(id, [started("go")]));
      expect(await due()).toBe(2);
      await store.history.list();
      expect(await due()).toBe(0);
      const driver = rig.journalOfNewWorker("a");
      await driver.own();
      await store.history.list();
      expect(await due()).toBe(1);
      await driver.close();
      expect(await due()).toBe(1);
      await store.history.list();
      expect(await due()).toBe(0);
    });

    test("lists each change of tasks that are listed while they are written, by several processes", async () => {
      const ids = ["a", "b", "c", "d"];
      for (const id of ids) await rig.fill(id, journalOf(id, [started("go")]));
      const others = await Promise.all([rig.store(), rig.store()]);
      const write = async (id: string): Promise<void> => {
        for (let seq = 2; seq < 12; seq += 1) {
          const driver = rig.journalOfNewWorker(id);
          await driver.append([atRest(seq)]);
          await store.history.rename(id, `${id} ${seq}`);
          await driver.close();
        }
      };
      let isWritten = false;
      const list = async ({ history }: PostgresStore): Promise<void> => {
        while (!isWritten) await history.list();
      };
      const lists = [store, ...others].map(list);
      await Promise.all(ids.map(write));
      isWritten = true;
      await Promise.all(lists);
      for (const { history } of others)
        expect((await history.list()).map(({ id, title, lastSeq }) => [id, title, lastSeq])).toEqual(
          ids.map((id) => [id, `${id} 11`, 11]),
        );
      expect(await store.history.list({ search: "11" })).toHaveLength(4);
      expect(await due()).toBe(0);
    });

    test("shows the owner of a task until its lease has ended, and then that the task was interrupted", async () => {
      await rig.fill("a", journalOf("a", [started("go")]));
      const driver = rig.journalOfNewWorker("a");
      await driver.own();
      expect(await store.history.list()).toMatchObject([
        { heldBy: { pid: process.pid }, isInterrupted: false },
      ]);
      await rig.expire("a");
      const [task] = await store.history.list();
      expect(task).toMatchObject({ isInterrupted: true, rest: "interrupted" });
      expect(task).not.toHaveProperty("heldBy");
    });

    test("reports what other processes change, until it is no longer watched", async () => {
      await rig.fill("a", journalOf("a", [started("go")]));
      await rig.fill("b", journalOf("b", [started("go")]));
      const watching = await openPostgres({ url: rig.cluster.url(), watchMs: 5 });
      const changed = new Set<string>();
      let onChange = (): void => {};
      const errors: unknown[] = [];
      const unwatch = watching.history.watch({
        onChange: (id) => {
          changed.add(id);
          onChange();
        },
        onError: (error) => errors.push(error),
      });
      const next = async (id: string): Promise<void> => {
        changed.clear();
        await new Promise<void>((resolve) => {
          onChange = () => {
            if (changed.has(id)) resolve();
          };
        });
      };
      await Promise.all([next("a"), store.history.rename("a", "Mine")]);
      const driver = rig.journalOfNewWorker("b");
      await Promise.all([next("b"), driver.append([atRest(2)])]);
      await Promise.all([next("b"), driver.append([atRest(3)])]);
      await Promise.all([next("b"), driver.close()]);
      unwatch();
      await watching.close();
      expect(errors).toEqual([]);
    });

    test("says that the database failed, and goes on after it", async () => {
      await rig.fill("a", journalOf("a", [started("go")]));
      await rig.cluster.stop();
      await expect(store.history.list()).rejects.toMatchObject({ code: "HISTORY_IO" });
      await expect(store.history.summary("a")).rejects.toMatchObject({ code: "HISTORY_IO" });
      await rig.cluster.resume();
      expect(await store.history.list()).toMatchObject([{ id: "a" }]);
    });

    test("lists a task whose title, id and folder are as long as they may be", async () => {
      const words = Array.from({ length: 200 }, (_, n) => `語${n}`).join(" ");
      const id = "a".repeat(200);
      const workspace = `/${words.replaceAll(" ", "/")}`;
      await rig.fill(id, journalOf(id, [started("go")], { title: words, workspace }));
      expect(await store.history.list({ search: "語0 語7", workspace })).toMatchObject([
        { id, title: words },
      ]);
    });

    test("has no task that has no record", async () => {
      const driver = rig.journalOfNewWorker("a");
      await driver.own();
      expect(await store.history.list()).toEqual([]);
      expect(await store.history.ids()).toEqual([]);
      await driver.close();
      expect(await store.history.list()).toEqual([]);
      await expect(store.history.find("a")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      expect(await due()).toBe(0);
    });
  });
});
