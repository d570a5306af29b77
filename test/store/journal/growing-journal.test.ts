import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JournalPlace } from "../../../ports/journal.ts";
import { fileJournal } from "../../../store/index.ts";
import { GrowingJournal } from "../../../store/journal/growing-journal.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { commit, started } from "../task-history/data-folder.ts";

const HEADER = { seq: 0, kind: "header", version: 3, taskId: "a", createdAt: 1 } as const;
const LINES = [HEADER, started("go"), ...[2, 3, 4, 5].map((seq) => commit(seq))].map(
  (record) => `${encodeLine(record)}\n`,
);
const textOf = (from: number, to = LINES.length): string => LINES.slice(from, to).join("");

describe("a journal that grows", () => {
  let dir = "";
  let file = "";
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), "growing-"));
    file = path.join(dir, "journal.jsonl");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** The journal, and the bytes at which its reads began. */
  function open() {
    const driver = fileJournal({ dir });
    const starts: number[] = [];
    const journal = new GrowingJournal({
      path: driver.path,
      read: () => driver.read(),
      async readAfter(place: JournalPlace) {
        const growth = (await driver.readAfter?.(place)) ?? expect.fail("no readAfter");
        starts.push(growth.from.bytes);
        return growth;
      },
    });
    const read = async (): Promise<readonly number[]> => {
      const seqs: number[] = [];
      for await (const { seq } of journal.read()) seqs.push(seq);
      return seqs;
    };
    return { read, starts };
  }

  test("is read from the end of the last whole line on", async () => {
    const { read, starts } = open();
    expect(await read()).toEqual([]);
    writeFileSync(file, textOf(0, 2));
    expect(await read()).toEqual([0, 1]);
    const [half, rest] = [textOf(2, 3).slice(0, 20), textOf(2, 3).slice(20)];
    appendFileSync(file, half);
    expect(await read()).toEqual([]);
    appendFileSync(file, rest + textOf(3, 5));
    expect(await read()).toEqual([2, 3, 4]);
    expect(await read()).toEqual([]);
    const known = textOf(0, 2).length;
    expect(starts).toEqual([0, 0, known, known, textOf(0, 5).length]);
  });

  test.each([
    ["is shorter", () => truncateSync(file, textOf(0, 2).length)],
    [
      "was replaced by another file",
      () => {
        writeFileSync(`${file}.new`, textOf(0, 2));
        renameSync(`${file}.new`, file);
      },
    ],
  ])("is read from its header on where it %s", async (_name, replace) => {
    writeFileSync(file, textOf(0, 4));
    const { read, starts } = open();
    await read();
    replace();
    expect(await read()).toEqual([0, 1]);
    expect(starts).toEqual([0, 0]);
  });

  test("is read from its header on after a read that was ended early, and after an invalid line", async () => {
    writeFileSync(file, textOf(0, 4));
    const journal = new GrowingJournal(fileJournal({ dir }));
    for await (const { seq } of journal.read()) if (seq === 1) break;
    const seqs: number[] = [];
    for await (const { seq } of journal.read()) seqs.push(seq);
    expect(seqs).toEqual([0, 1, 2, 3]);
    const { read } = open();
    appendFileSync(file, "damaged\n");
    expect(await read()).toEqual([0, 1, 2, 3]);
    truncateSync(file, textOf(0, 4).length);
    appendFileSync(file, textOf(4));
    expect(await read()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("is read whole at each call of a driver that reads from no place", async () => {
    writeFileSync(file, textOf(0, 2));
    const driver = fileJournal({ dir });
    const journal = new GrowingJournal({ path: file, read: () => driver.read() });
    for (const _ of [1, 2]) {
      const seqs: number[] = [];
      for await (const { seq } of journal.read()) seqs.push(seq);
      expect(seqs).toEqual([0, 1]);
    }
  });
});
