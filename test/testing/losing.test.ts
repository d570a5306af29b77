import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { MemoryStore, memoryJournal } from "../../store/journal/index.ts";
import { losingJournal } from "../../testing/index.ts";
import type { JournalDraft } from "../../wire/index.ts";
import { commit, contentWith, header, lines, readAll } from "./conformance.ts";

/** A driver whose syncs end when the test says so. */
function manual(store = new MemoryStore()) {
  const syncs: (() => void)[] = [];
  const driver = losingJournal({ store, sync: (done) => syncs.push(done) });
  const settle = async (): Promise<void> => {
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
  };
  return {
    store,
    driver,
    settle,
    sync: () => {
      syncs.shift()?.();
      return settle();
    },
  };
}

const unfinished = contentWith(commit(1)).subarray(0, 30);

describe("a journal whose machine goes down", () => {
  test("L11: nothing is durable before its sync, and the rest may be lost at any byte", async () => {
    const second = contentWith(commit(1));
    for (let keep = 0; keep <= second.length; keep += 1) {
      const { store, driver, settle, sync } = manual();
      const told: string[] = [];
      void driver.append(lines(header)).then(() => told.push("first"));
      await settle();
      expect([told, driver.unsynced]).toEqual([[], contentWith(header).length]);
      await sync();
      void driver.append(lines(commit(1))).then(() => told.push("second"));
      await settle();
      expect([told, driver.unsynced]).toEqual([["first"], second.length]);
      driver.crash(keep);
      await sync();
      expect(told).toEqual(["first"]);
      const { seqs, tails } = await readAll(memoryJournal({ store }));
      expect(seqs).toEqual(keep < second.length ? [0] : [0, 1]);
      expect(tails.map(({ kind, bytes }) => [kind, bytes])).toEqual(
        keep === 0 || keep === second.length ? [] : [["torn", keep]],
      );
    }
  });

  test("existing data is durable, except an incomplete last line, which is cut", async () => {
    const { store, driver, settle } = manual(
      new MemoryStore(Buffer.concat([contentWith(header), unfinished])),
    );
    void driver.append(lines(commit(1)));
    await settle();
    expect(driver.unsynced).toBe(contentWith(commit(1)).length);
    driver.crash(0);
    expect(Buffer.concat(store.pieces())).toEqual(contentWith(header));
    expect(store.aside(`(losing).torn-${contentWith(header).length}`)).toEqual(unfinished);
  });

  test("nothing that it is asked for after the crash is written or ends, and another driver may own it", async () => {
    const { store, driver, sync, settle } = manual();
    void driver.append(lines(header));
    await settle();
    await sync();
    const ended: string[] = [];
    driver.crash(0);
    void driver.append(lines(commit(1))).then(() => ended.push("append"));
    void driver.own().then(() => ended.push("own"));
    void driver.rest().then(() => ended.push("rest"));
    void driver.close().then(() => ended.push("close"));
    const next = memoryJournal({ store });
    await next.append(lines(commit(1, "another")));
    await sync();
    expect(ended).toEqual([]);
    expect((await readAll(next)).records).toMatchObject([header, commit(1, "another")]);
  });

  test.prop([
    fc.scheduler(),
    fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }),
    fc.nat(20),
    fc.nat(400),
  ])(
    "L11: whenever it goes down, all that was told to be durable is there, and what is there is what was written",
    async (scheduler, sizes, steps, keep) => {
      const store = new MemoryStore();
      const driver = losingJournal({
        store,
        sync: (done) => void scheduler.schedule(Promise.resolve(), "sync").then(done),
      });
      let told = 0;
      const written: JournalDraft[] = [];
      const append = async (drafts: readonly JournalDraft[]): Promise<void> => {
        written.push(...drafts);
        const count = written.length;
        await driver.append(lines(...drafts));
        told = Math.max(told, count);
      };
      void append([header]);
      for (const size of sizes)
        void scheduler
          .schedule(Promise.resolve(), "append")
          .then(() => append(Array.from({ length: size }, (_, index) => commit(written.length + index))));
      for (let step = 0; step < steps && scheduler.count() > 0; step += 1) await scheduler.waitOne();
      driver.crash(keep);
      const { seqs } = await readAll(memoryJournal({ store }));
      expect(seqs).toEqual(seqs.map((_, index) => index));
      expect(seqs.length).toBeGreaterThanOrEqual(told);
      expect(contentWith(...written).subarray(0, store.size)).toEqual(Buffer.concat(store.pieces()));
    },
  );
});
