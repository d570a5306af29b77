import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { MemoryStore, memoryJournal } from "../../store/journal/memory.ts";
import { losingJournal } from "../../testing/index.ts";
import type { JournalDraft } from "../../wire/journal/record.ts";
import { commit, contentWith, header, lines, readAll } from "./conformance.ts";

/** A driver whose syncs the test completes. */
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

describe("a journal during a power failure", () => {
  test("L11: nothing is durable before its sync, and other data may be lost at any byte", async () => {
    const second = contentWith(commit(1));
    for (let keep = 0; keep <= second.length; keep += 1) {
      const { store, driver, settle, sync } = manual();
      const acknowledged: string[] = [];
      void driver.append(lines(header)).then(() => acknowledged.push("first"));
      await settle();
      expect([acknowledged, driver.unsynced]).toEqual([[], contentWith(header).length]);
      await sync();
      void driver.append(lines(commit(1))).then(() => acknowledged.push("second"));
      await settle();
      expect([acknowledged, driver.unsynced]).toEqual([["first"], second.length]);
      driver.crash(keep);
      await sync();
      expect(acknowledged).toEqual(["first"]);
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
    expect(Buffer.concat(store.chunks())).toEqual(contentWith(header));
    expect(store.backup(`(losing).torn-${contentWith(header).length}`)).toEqual(unfinished);
  });

  test("later operations write nothing and never complete, and another driver may own the journal", async () => {
    const { store, driver, sync, settle } = manual();
    void driver.append(lines(header));
    await settle();
    await sync();
    const ended: string[] = [];
    driver.crash(0);
    void driver.append(lines(commit(1))).then(() => ended.push("append"));
    void driver.own().then(() => ended.push("own"));
    void driver.release().then(() => ended.push("release"));
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
    "L11: after a crash at any time, all acknowledged records are present, and the content is a prefix of what was written",
    async (scheduler, sizes, steps, keep) => {
      const store = new MemoryStore();
      const driver = losingJournal({
        store,
        sync: (done) => void scheduler.schedule(Promise.resolve(), "sync").then(done),
      });
      let acknowledged = 0;
      const written: JournalDraft[] = [];
      const append = async (drafts: readonly JournalDraft[]): Promise<void> => {
        written.push(...drafts);
        const count = written.length;
        await driver.append(lines(...drafts));
        acknowledged = Math.max(acknowledged, count);
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
      expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
      expect(contentWith(...written).subarray(0, store.size)).toEqual(Buffer.concat(store.chunks()));
    },
  );
});
