import assert from "node:assert/strict";
import {
  assertHolds,
  assertRejects,
  type CheckedCase,
  commit,
  content,
  header,
  lines,
} from "./journal-case.ts";

/** The requirements of drivers whose ownership ends with a lease: a stale owner changes nothing. */
export const FENCING_CASES: readonly CheckedCase[] = [
  [
    "FENCE: a stale owner can't append, truncate or own, and what it wrote before is intact",
    async (bench) => {
      const stale = await bench.make();
      await stale.append(lines(header, commit(1)));
      await bench.expire(stale);
      const owner = await bench.another(stale);
      await owner.own();
      await assertRejects(stale.append(lines(commit(2, "stale"))), "JOURNAL_LOCKED", stale.path);
      await assertRejects(stale.truncate(0), "JOURNAL_LOCKED", stale.path);
      await assertRejects(stale.own(), "JOURNAL_LOCKED", stale.path);
      await assertHolds(owner, content(header, commit(1)));
    },
  ],
  [
    "FENCE: the new owner continues after a lease has ended, and the close of the stale one does not end its ownership",
    async (bench) => {
      const stale = await bench.make();
      await stale.append(lines(header));
      await bench.expire(stale);
      const owner = await bench.another(stale);
      await owner.append(lines(commit(1)));
      await stale.close();
      await owner.append(lines(commit(2)));
      await assertHolds(owner, content(header, commit(1), commit(2)));
      const third = await bench.another(stale);
      await assertRejects(third.own(), "JOURNAL_LOCKED", third.path);
    },
  ],
  [
    "FENCE: an owner that was stale stays so after the new owner has closed",
    async (bench) => {
      const stale = await bench.make();
      await stale.append(lines(header));
      await bench.expire(stale);
      const owner = await bench.another(stale);
      await owner.own();
      await owner.close();
      await assertRejects(stale.append(lines(commit(1, "stale"))), "JOURNAL_LOCKED", stale.path);
      await assertRejects(stale.own(), "JOURNAL_LOCKED", stale.path);
      await assertHolds(stale, content(header));
    },
  ],
  [
    "FENCE: an owner whose lease has ended keeps what no one else has owned since",
    async (bench) => {
      const driver = await bench.make();
      await driver.append(lines(header));
      await bench.expire(driver);
      await driver.append(lines(commit(1)));
      await assertHolds(driver, content(header, commit(1)));
    },
  ],
  [
    "FENCE: an append of a stale owner in flight during a claim is either wholly before it or rejected",
    async (bench) => {
      for (let round = 0; round < 20; round += 1) {
        const stale = await bench.make(content(header));
        await stale.own();
        await bench.expire(stale);
        const owner = await bench.another(stale);
        const late = lines(commit(1, "late"), commit(2, "late"));
        const [appended] = await Promise.allSettled([stale.append(late), owner.own()]);
        if (appended.status === "rejected") assert.equal(appended.reason.code, "JOURNAL_LOCKED");
        const before =
          appended.status === "fulfilled" ? [header, commit(1, "late"), commit(2, "late")] : [header];
        await assertHolds(owner, content(...before));
        const next = commit(before.length);
        await owner.append(lines(next));
        await assertHolds(owner, content(...before, next));
        await Promise.all([stale.close(), owner.close()]);
      }
    },
  ],
];
