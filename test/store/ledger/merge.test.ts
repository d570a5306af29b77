import { describe, expect, test } from "vitest";
import type { LedgerEntry, LedgerLine } from "../../../store/ledger/entry.ts";
import { type LedgerMerge, mergeEntries as missingEntries } from "../../../store/ledger/merge.ts";

const line = (task: string, sequence: number, path: string): LedgerLine => ({
  hash: `${task}.${sequence}`,
  previous: null,
  task,
  sequence,
  part: 1,
  at: 1_000 + sequence,
  intent: null,
  tool: "write_to_file",
  path,
  before: "b",
  after: "c",
  lines: [],
  revision: null,
  branch: null,
  model: "mock/m1",
});
const mergeEntries = (...args: Parameters<typeof missingEntries>) => missingEntries(...args).entries;
const asLine = (entry: LedgerEntry): LedgerLine => ({ ...entry, hash: "h", previous: null });

const file = (path: string, after = "m"): LedgerMerge["files"][number] => ({
  path,
  before: "p",
  after,
  lines: [],
  revision: null,
  branch: null,
  merged: { content: "c", lines: [], by: "t" },
  changed: { before: "b", lines: [] },
});
const MERGE: LedgerMerge = {
  task: "t.1",
  at: 2_000,
  createdAt: 900,
  files: [file("a.txt"), file("b.txt")],
  interrupted: [],
  recorded: [],
};
const INCOMING = [
  line("t.1", 3, "a.txt"),
  line("t.1.1", 1, "b.txt"),
  line("t.1", 4, "c.txt"),
  line("x", 1, "c.txt"),
];

describe("the entries of a merge", () => {
  test("are all lines of the tasks that wrote a merged file, then one for each file, in the chain of the task", () => {
    const entries = mergeEntries([line("t", 1, "a.txt")], INCOMING, MERGE);
    expect(entries.map(({ task, sequence, part, path }) => `${task} ${sequence}.${part} ${path}`)).toEqual([
      "t.1 3.1 a.txt",
      "t.1.1 1.1 b.txt",
      "t.1 4.1 c.txt",
      "t.1 4.2 a.txt",
      "t.1 4.3 b.txt",
    ]);
    expect(entries.slice(3).map(({ merged }) => merged)).toEqual([
      { content: "c", lines: [], tasks: ["t.1"], by: "t" },
      { content: "c", lines: [], tasks: ["t.1.1"], by: "t" },
    ]);
  });

  test("are the missing ones for a ledger that has some of them, wherever an append was cut", () => {
    const entries = mergeEntries([], INCOMING, MERGE);
    for (let count = 0; count <= entries.length; count += 1) {
      const present = entries.slice(0, count).map(asLine);
      expect(mergeEntries(present, INCOMING, MERGE)).toEqual(entries.slice(count));
    }
  });

  test("are later than the writes that they bring, also if the clock was set back", () => {
    const [last] = mergeEntries([], INCOMING, { ...MERGE, at: 0 }).slice(-1);
    expect(last?.at).toBe(1_004);
  });

  test("are new for the same content in another worktree of the task", () => {
    const present = mergeEntries([], INCOMING, MERGE).map(asLine);
    const again = { ...MERGE, at: 4_000, createdAt: 3_000 };
    expect(mergeEntries(present, INCOMING, again).map(({ part, at }) => [part, at])).toEqual([
      [4, 4_000],
      [5, 4_000],
    ]);
  });

  test("are the recorded ones, with their time and who merged, if the process ended before the ledger had them", () => {
    const { entries, merged: recorded } = missingEntries([], INCOMING, MERGE);
    const byPerson = MERGE.files.map((each) => ({ ...each, merged: { ...each.merged, by: null } }));
    const again = { ...MERGE, files: byPerson, at: 9_000, recorded };
    for (let count = 0; count <= entries.length; count += 1) {
      const present = entries.slice(0, count).map(asLine);
      expect(missingEntries(present, INCOMING, again)).toEqual({ entries: entries.slice(count), merged: [] });
    }
    const resumed = missingEntries([], [...INCOMING, line("t.1", 8, "a.txt")], again).entries;
    expect(resumed).toEqual([...entries, expect.objectContaining({ sequence: 8 })]);
  });

  test("have the changes of a file that no line has, before, between and after its writes, and the interrupted calls", () => {
    const write = (sequence: number, before: string, after: string) => ({
      ...line("t.1", sequence, "a.txt"),
      before,
      after,
    });
    const interrupted = [{ task: "t.1", sequence: 2, tool: "execute_command", model: "mock/m1" }];
    const mergedOf = (incoming: readonly LedgerLine[], content: string) => {
      const one = { ...file("a.txt"), merged: { content, lines: [], by: null } };
      const merge = { ...MERGE, files: [one], interrupted };
      return mergeEntries([], incoming, merge).at(-1)?.merged;
    };
    const gaps = (...changes: readonly string[]) =>
      changes.map((each) => ({ before: each[0], after: each[1], lines: null }));
    expect(mergedOf([write(3, "b", "c"), write(4, "c", "d")], "d")).not.toHaveProperty("unrecorded");
    expect(mergedOf([write(3, "b", "c")], "b")).not.toHaveProperty("interrupted");
    expect(mergedOf([write(3, "x", "c"), write(4, "y", "d")], "z")).toMatchObject({
      unrecorded: gaps("bx", "cy", "dz"),
      interrupted,
    });
    expect(mergedOf([], "z")).toMatchObject({ unrecorded: [{ before: "b", after: "z", lines: [] }] });
  });
});
