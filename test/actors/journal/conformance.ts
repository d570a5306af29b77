import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type JournalDriver, readJournal, type TornTail } from "../../../actors/journal/index.ts";
import { encodeLine } from "../../../actors/journal/line.ts";
import type { JournalDraft, JournalRecord } from "../../../wire/index.ts";

/** How a driver is made for the suite. */
export interface DriverUnderTest {
  /** A driver of its own, over what is there already. */
  make(content?: Uint8Array): Promise<JournalDriver>;
  /** Another driver over the same journal, as after a crash. */
  reopen(driver: JournalDriver): Promise<JournalDriver>;
}

export const header = {
  seq: 0,
  kind: "header",
  version: 1,
  taskId: "t1",
  createdAt: 1,
} as const satisfies JournalDraft;
export const commit = (seq: number, text = `row ${seq}`): JournalDraft => ({
  seq,
  kind: "commit",
  at: seq,
  before: "running",
  after: "running",
  log: [{ type: "message.appended", message: { ts: seq, type: "say", say: "text", text } }],
});
export const lines = (...drafts: readonly JournalDraft[]): string[] => drafts.map(encodeLine);

export async function contentOf(driver: JournalDriver): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of driver.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readAll(driver: JournalDriver) {
  const records: JournalRecord[] = [];
  const torn: TornTail[] = [];
  for await (const record of readJournal(driver, { onTorn: (tail) => torn.push(tail) })) records.push(record);
  return { records, torn, seqs: records.map(({ seq }) => seq) };
}

/** What every journal driver must do, whatever it keeps its records in. */
export function driverConformance(name: string, { make, reopen }: DriverUnderTest): void {
  describe(`${name}, as every journal driver,`, () => {
    test("has nothing before the first append", async () => {
      const driver = await make();
      expect(await readAll(driver)).toEqual({ records: [], torn: [], seqs: [] });
      await driver.rest();
      await driver.append([]);
      expect((await contentOf(driver)).length).toBe(0);
      await driver.close();
    });

    test("L11: has what it was given, in order, once the append has resolved", async () => {
      const driver = await make();
      await driver.append(lines(header));
      await driver.append(lines(commit(1), commit(2, "two\nlines, é and 😀")));
      const { records } = await readAll(await reopen(driver));
      expect(records).toMatchObject([header, commit(1), commit(2, "two\nlines, é and 😀")]);
      await driver.close();
    });

    test.prop([fc.array(fc.nat(3), { maxLength: 12 })], { numRuns: 20 })(
      "keeps the order of appends that nobody waited for",
      async (sizes) => {
        const driver = await make();
        const appends = [driver.append(lines(header))];
        let seq = 0;
        for (const size of sizes)
          appends.push(driver.append(Array.from({ length: size }, () => encodeLine(commit(++seq)))));
        await Promise.all(appends);
        expect((await readAll(driver)).seqs).toEqual(Array.from({ length: seq + 1 }, (_, index) => index));
        await driver.close();
      },
    );

    test("goes on after a rest", async () => {
      const driver = await make();
      await driver.append(lines(header));
      await driver.rest();
      await driver.rest();
      const [, , after] = await Promise.all([
        driver.append(lines(commit(1))),
        driver.rest(),
        driver.append(lines(commit(2))),
      ]);
      expect(after).toBeUndefined();
      expect((await readAll(driver)).seqs).toEqual([0, 1, 2]);
      await driver.close();
    });

    test("writes what was asked for before its close, and refuses what comes after", async () => {
      const driver = await make();
      const appended = driver.append(lines(header));
      await driver.close();
      await appended;
      await expect(driver.append(lines(commit(1)))).rejects.toMatchObject({
        code: "JOURNAL_CLOSED",
        path: driver.path,
      });
      expect((await readAll(await reopen(driver))).seqs).toEqual([0]);
    });

    test("refuses the first lines of a task where it has records, and stays as it was", async () => {
      const driver = await make();
      await driver.append(lines(header, commit(1)), { first: true });
      const other = await reopen(driver);
      await expect(other.append(lines(header), { first: true })).rejects.toMatchObject({
        code: "JOURNAL_EXISTS",
      });
      await other.append(lines(commit(2)));
      expect((await readAll(other)).seqs).toEqual([0, 1, 2]);
      await Promise.all([driver.close(), other.close()]);
    });

    test("goes on behind whole records that it finds", async () => {
      const driver = await make(Buffer.from(`${lines(header, commit(1)).join("\n")}\n`));
      await driver.append(lines(commit(2)));
      expect((await readAll(driver)).seqs).toEqual([0, 1, 2]);
      await driver.close();
    });

    test("keeps as many bytes as it is told, and goes on from there", async () => {
      const driver = await make();
      await driver.append(lines(header, commit(1)));
      await driver.truncate(Buffer.byteLength(`${encodeLine(header)}\n`));
      await driver.append(lines(commit(1, "another")));
      expect((await readAll(await reopen(driver))).records).toMatchObject([header, commit(1, "another")]);
      await driver.close();
    });

    test("L11: a last record that was cut at any byte is dropped and reported, and never glued to the next", async () => {
      const good = `${lines(header, commit(1)).join("\n")}\n`;
      const at = Buffer.byteLength(good);
      const whole = Buffer.from(`${good}${encodeLine(commit(2, "é😀"))}\n`);
      for (let length = at; length < whole.length; length += 1) {
        const driver = await make(whole.subarray(0, length));
        const torn = length === at ? [] : [{ line: 3, at, bytes: length - at, reason: "it has no end" }];
        expect(await readAll(driver)).toMatchObject({ seqs: [0, 1], torn });
        await driver.append(lines(commit(2, "another")));
        expect(await readAll(driver)).toMatchObject({ seqs: [0, 1, 2], torn: [] });
        await driver.close();
      }
    });
  });
}
