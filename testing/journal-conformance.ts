import assert from "node:assert/strict";
import type { JournalDraft } from "../wire/journal/record.ts";
import {
  assertHolds,
  assertRejects,
  bytesOf,
  CaseDrivers,
  type CheckedCase,
  commit,
  content,
  type DriverUnderTest,
  header,
  lines,
  seqsOf,
} from "./journal-case.ts";
import { FENCING_CASES } from "./journal-fencing.ts";

export type { DriverUnderTest } from "./journal-case.ts";

/** One requirement. `run` rejects with an AssertionError if a driver does not meet it. */
export interface DriverCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * The requirements of every journal driver, independent of a test framework: run each case under its title. Each case
 * creates its own drivers and closes them.
 *
 * @example
 * ```ts
 * import { journalConformance } from "signalbox/testing";
 * import { MemoryStore, memoryJournal } from "signalbox/store";
 * const stores = new Map<unknown, MemoryStore>();
 * const over = (store: MemoryStore) => {
 *   const driver = memoryJournal({ store });
 *   stores.set(driver, store);
 *   return driver;
 * };
 * const storeOf = (driver: unknown) => stores.get(driver) ?? new MemoryStore();
 * const cases = journalConformance({
 *   make: async (content) => over(new MemoryStore(content)),
 *   another: async (driver) => over(storeOf(driver)),
 *   backup: async (driver, place) => storeOf(driver).backup(place) ?? new Uint8Array(),
 * });
 * for (const { run } of cases) await run();
 * console.log("conforms"); // conforms
 * ```
 */
export function journalConformance(under: DriverUnderTest): readonly DriverCase[] {
  const cases = under.expire === undefined ? CASES : [...CASES, ...FENCING_CASES];
  return cases.map(([title, check]) => ({ title, run: () => new CaseDrivers(under).run(check) }));
}

const CASES: readonly CheckedCase[] = [
  [
    "is empty before the first append",
    async (bench) => {
      const driver = await bench.make();
      await driver.release();
      await driver.append([]);
      assert.equal((await bytesOf(driver)).length, 0);
      await driver.own();
      assert.equal((await bytesOf(driver)).length, 0);
    },
  ],
  [
    "L11: contains the appended lines, in order, once the append has resolved",
    async (bench) => {
      const driver = await bench.make();
      const reader = await bench.another(driver);
      const commits = [commit(1), commit(2, "two\nlines, é and 😀"), commit(3, "long ".repeat(300_000))];
      await driver.append(lines(header));
      await assertHolds(reader, content(header));
      await driver.append(lines(...commits));
      await assertHolds(reader, content(header, ...commits));
      assert.deepEqual(await seqsOf(reader), [0, 1, 2, 3]);
    },
  ],
  [
    "PASSIVE: keeps a copy of the state, and is read synchronously if the copy can be lost, where it has `passive`",
    async (bench) => {
      const driver = await bench.make();
      const { passive } = driver;
      const assertRead = (...drafts: readonly JournalDraft[]): void => {
        if (passive?.read === undefined) return;
        assert.equal(Buffer.from(passive.read()).toString(), content(...drafts).toString());
      };
      await driver.append(lines(header, commit(1)));
      if (passive === undefined) return;
      assert.equal(passive.load(), undefined);
      assertRead(header, commit(1));
      await passive.save(Buffer.from("one"));
      const copy = Buffer.from("two é");
      await passive.save(copy);
      await driver.release();
      assert.ok(copy.equals(passive.load() ?? new Uint8Array()));
      await driver.append(lines(commit(2)));
      assertRead(header, commit(1), commit(2));
    },
  ],
  [
    "keeps the order of concurrent appends",
    async (bench) => {
      const driver = await bench.make();
      const drafts: JournalDraft[] = [header];
      const appends = [driver.append(lines(header))];
      for (const size of [1, 0, 3, 1, 2, 0, 1]) {
        const more = Array.from({ length: size }, (_, index) => commit(drafts.length + index));
        drafts.push(...more);
        appends.push(driver.append(lines(...more)));
      }
      await Promise.all(appends);
      await assertHolds(driver, content(...drafts));
    },
  ],
  [
    "continues after a rest",
    async (bench) => {
      const driver = await bench.make();
      await driver.append(lines(header));
      await driver.release();
      await driver.release();
      await Promise.all([driver.append(lines(commit(1))), driver.release(), driver.append(lines(commit(2)))]);
      await assertHolds(driver, content(header, commit(1), commit(2)));
    },
  ],
  [
    "completes writes before its close, and rejects later ones; it can still be read",
    async (bench) => {
      const driver = await bench.make();
      const appended = driver.append(lines(header));
      await driver.close();
      await appended;
      await assertRejects(driver.append(lines(commit(1))), "JOURNAL_CLOSED", driver.path);
      await assertRejects(driver.own(), "JOURNAL_CLOSED", driver.path);
      await assertRejects(driver.truncate(0), "JOURNAL_CLOSED", driver.path);
      await driver.close();
      await assertHolds(driver, content(header));
      await assertHolds(await bench.another(driver), content(header));
    },
  ],
  [
    "rejects the first lines of a task where it has records, and is unchanged",
    async (bench) => {
      const driver = await bench.make();
      await driver.append(lines(header, commit(1)), { first: true });
      await driver.close();
      const other = await bench.another(driver);
      await assertRejects(other.append(lines(header), { first: true }), "JOURNAL_EXISTS", other.path);
      await other.append(lines(commit(2)));
      await assertHolds(other, content(header, commit(1), commit(2)));
    },
  ],
  [
    "appends after existing records",
    async (bench) => {
      const driver = await bench.make(content(header, commit(1)));
      await driver.append(lines(commit(2)));
      await assertHolds(driver, content(header, commit(1), commit(2)));
    },
  ],
  [
    "L11: an incomplete last line is never joined with the next",
    async (bench) => {
      const good = content(header, commit(1));
      const whole = content(header, commit(1), commit(2, "é😀"));
      for (let length = good.length; length < whole.length; length += 1) {
        const driver = await bench.make(whole.subarray(0, length));
        assert.equal((await bytesOf(driver)).length, length);
        await driver.append(lines(commit(2, "another")));
        await assertHolds(driver, content(header, commit(1), commit(2, "another")));
        await driver.close();
      }
    },
  ],
  [
    "cuts everything after a byte, saves it and returns where, and continues from there",
    async (bench) => {
      const driver = await bench.make();
      await driver.append(lines(header, commit(1), commit(2)));
      const place = await driver.truncate(content(header).length);
      await assertHolds(driver, content(header));
      assert.equal(
        Buffer.from(await bench.backup(driver, place)).toString(),
        content(commit(1), commit(2)).toString(),
      );
      await driver.append(lines(commit(1, "another")));
      await assertHolds(await bench.another(driver), content(header, commit(1, "another")));
    },
  ],
  [
    "saves the torn end of an earlier process, byte for byte",
    async (bench) => {
      const torn = Buffer.concat([content(header, commit(1)), Buffer.from([0x7b, 0xff, 0x0a, 0x00, 0x22])]);
      const driver = await bench.make(torn);
      const length = content(header, commit(1)).length;
      const place = await driver.truncate(length);
      assert.deepEqual(Buffer.from(await bench.backup(driver, place)), torn.subarray(length));
      await driver.append(lines(commit(2)));
      await assertHolds(driver, content(header, commit(1), commit(2)));
    },
  ],
  [
    "never overwrites what it saved before",
    async (bench) => {
      const driver = await bench.make(content(header));
      const places: string[] = [];
      for (const text of ["one", "two", "three"]) {
        await driver.append(lines(commit(1, text)));
        places.push(await driver.truncate(content(header).length));
      }
      assert.equal(new Set(places).size, 3);
      for (const [index, text] of ["one", "two", "three"].entries()) {
        const kept = await bench.backup(driver, places[index] ?? "");
        assert.equal(Buffer.from(kept).toString(), content(commit(1, text)).toString());
      }
    },
  ],
  [
    "rejects a cut beyond its end, and is unchanged",
    async (bench) => {
      const driver = await bench.make(content(header));
      await assertRejects(driver.truncate(content(header).length + 1), "JOURNAL_CHANGED", driver.path);
      await driver.append(lines(commit(1)));
      await assertHolds(driver, content(header, commit(1)));
    },
  ],
  [
    "has one owner: another driver may read it, and neither write nor cut nor own it",
    async (bench) => {
      const driver = await bench.make(content(header));
      const other = await bench.another(driver);
      await driver.own();
      await driver.own();
      await assertRejects(other.own(), "JOURNAL_LOCKED", other.path);
      await assertRejects(other.append(lines(commit(1, "theirs"))), "JOURNAL_LOCKED", other.path);
      await assertRejects(other.truncate(0), "JOURNAL_LOCKED", other.path);
      await driver.append(lines(commit(1)));
      await assertHolds(other, content(header, commit(1)));
    },
  ],
  [
    "is owned by appending, also at rest, until its owner closes; then another may own it",
    async (bench) => {
      const driver = await bench.make();
      const other = await bench.another(driver);
      await driver.append(lines(header));
      await driver.release();
      await assertRejects(other.append(lines(commit(1))), "JOURNAL_LOCKED", other.path);
      await driver.close();
      await other.append(lines(commit(1)));
      await assertHolds(other, content(header, commit(1)));
      await assertRejects((await bench.another(driver)).own(), "JOURNAL_LOCKED", driver.path);
    },
  ],
  [
    "names its owner",
    async (bench) => {
      const driver = await bench.make();
      await driver.own();
      const refused = (await bench.another(driver)).own();
      await assert.rejects(refused, new RegExp(`\\b${process.pid}\\b`));
    },
  ],
  [
    "is not released by a driver that does not own it",
    async (bench) => {
      const driver = await bench.make();
      const [other, third] = [await bench.another(driver), await bench.another(driver)];
      await driver.own();
      await assertRejects(other.own(), "JOURNAL_LOCKED", other.path);
      await other.close();
      await (await bench.another(driver)).close();
      await assertRejects(third.own(), "JOURNAL_LOCKED", third.path);
    },
  ],
  [
    "is created by one of several concurrent creators",
    async (bench) => {
      const drivers = [await bench.make()];
      for (let count = 0; count < 3; count += 1)
        drivers.push(await bench.another(drivers[0] ?? (await bench.make())));
      const ends = await Promise.allSettled(
        drivers.map((driver, index) => driver.append(lines(header, commit(1, `${index}`)), { first: true })),
      );
      const winners = ends.flatMap((end, index) => (end.status === "fulfilled" ? [index] : []));
      assert.equal(winners.length, 1);
      for (const end of ends) if (end.status === "rejected") assert.equal(end.reason.code, "JOURNAL_LOCKED");
      await assertHolds(drivers[0] ?? (await bench.make()), content(header, commit(1, `${winners[0]}`)));
    },
  ],
];
