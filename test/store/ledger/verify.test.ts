import { readFile, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readLedger, verifyLedger } from "../../../store/index.ts";
import { checkChains, type LedgerProblem } from "../../../store/ledger/chains.ts";
import { encodeEntry } from "../../../store/ledger/line.ts";
import { parseLedger } from "../../../store/ledger/reader.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { fileWrite, type LedgerRig, openLedgerRig, type RecordedTask } from "./ledger-rig.ts";

let rig: LedgerRig;
/** Two tasks, interleaved: t1 t2 t1 t1 t2. */
let lines: readonly string[];
beforeEach(async () => {
  rig = await openLedgerRig();
  const [t1, t2] = [rig.open("t1"), rig.open("t2")];
  await t1.write([fileWrite("a.txt")]);
  await t2.write([fileWrite("b.txt")]);
  await t1.write([fileWrite("c.txt"), fileWrite("d.txt")]);
  await t2.write([fileWrite("a.txt")]);
  for (const { driver } of [t1, t2]) await driver.close();
  lines = await rig.lines();
});
afterEach(() => rig[Symbol.asyncDispose]());

const verify = () => verifyLedger(rig.root, rig.dataDir);
/** The problems that the ledger has without any journal. */
const problemsOf = async (some: readonly string[]): Promise<readonly LedgerProblem[]> => {
  await rig.put(some);
  return (await verifyLedger(rig.root, "/nonexistent")).problems;
};
const at = (...picked: readonly number[]) => picked.map((index) => lines[index] ?? "");

describe("verification of a ledger", () => {
  test("finds nothing in one that was only appended to", async () => {
    expect(await verify()).toEqual({ lines: 5, tasks: 2, problems: [], unchecked: [] });
  });

  test("finds each byte that was edited, with its line, without a journal", async () => {
    const bytes = await readFile(rig.path);
    let line = 1;
    for (let index = 0; index < bytes.length; index += 1) {
      const edited = Buffer.from(bytes);
      edited[index] = (bytes[index] ?? 0) ^ 1;
      const found = checkChains(parseLedger(edited)).map((problem) => problem.line);
      expect(found, `byte ${index}`).toContain(line);
      if (bytes[index] === 0x0a) line += 1;
    }
  });

  test.each([
    ["two lines of a task are exchanged", [0, 1, 3, 2, 4], 3],
    ["a line is removed", [0, 1, 3, 4], 3],
    ["the first line of a task is removed", [1, 2, 3, 4], 2],
    ["a line is duplicated", [0, 1, 2, 2, 3, 4], 4],
    ["a line is copied to the end", [0, 1, 2, 3, 4, 0], 6],
  ])("finds by itself that %s", async (_, order, line) => {
    expect((await problemsOf(at(...order)))[0]).toMatchObject({ line });
  });

  test("accepts the lines of two tasks in any order, as a merge leaves them", async () => {
    expect(await problemsOf(at(1, 4, 0, 2, 3))).toEqual([]);
  });

  test("finds a line that has a new hash for its new content by the line after it", async () => {
    const [first] = await readLedger(rig.root);
    if (first?.line === undefined) throw new Error("no line");
    const rewritten = encodeEntry({ ...first.line, path: "other.txt" }, null).text;
    expect(await problemsOf([rewritten, ...at(1, 2, 3, 4)])).toMatchObject([{ line: 3, task: "t1" }]);
  });

  test("finds an end that was cut, by the journal", async () => {
    await rig.put(at(0, 1, 2));
    expect((await verify()).problems).toMatchObject([
      { task: "t1", problem: expect.stringContaining("the line of d.txt is missing, record 2") },
      { task: "t2", problem: expect.stringContaining("the line of a.txt is missing, record 2") },
    ]);
  });

  test("finds an end that was rewritten with valid hashes, by the journal", async () => {
    const last = (await readLedger(rig.root))[4]?.line;
    if (last === undefined) throw new Error("no line");
    await rig.put([...at(0, 1, 2, 3), encodeEntry({ ...last, tool: "apply_diff" }, last.previous).text]);
    expect((await verify()).problems).toMatchObject([
      { line: 5, task: "t2", problem: expect.stringContaining("another tool: the line was rewritten") },
    ]);
  });

  test("finds an invented line at the end, by the journal", async () => {
    const last = (await readLedger(rig.root))[4]?.line;
    if (last === undefined) throw new Error("no line");
    await rig.put([...lines, encodeEntry({ ...last, sequence: 9 }, last.hash).text]);
    expect((await verify()).problems).toMatchObject([
      { line: 6, problem: "the journal of task t2 has no such write" },
    ]);
  });

  test("finds that all lines of a task were removed, by the workspace in its journal", async () => {
    await rig.put(at(1, 4));
    expect((await verify()).problems).toHaveLength(3);
  });

  test("says that it can't compare the end where a journal is not there, or damaged", async () => {
    await rm(taskFolder(rig.dataDir, "t1"), { recursive: true });
    const journal = `${taskFolder(rig.dataDir, "t2")}/journal.jsonl`;
    const [first, second, third] = (await readFile(journal, "utf8")).split("\n");
    await writeFile(journal, `${[first, `x${second}`, third].join("\n")}\n`);
    await rig.put(at(0, 1));
    expect(await verify()).toMatchObject({
      problems: [],
      unchecked: expect.arrayContaining([
        { task: "t1", reason: expect.stringContaining("its journal is not in") },
        { task: "t2", reason: "its journal is damaged in line 2" },
      ]),
    });
  });

  test("says that a task is open, whose lines may still come", async () => {
    const task: RecordedTask = rig.open("t3");
    await task.write([fileWrite("e.txt")]);
    expect((await verify()).unchecked).toEqual([
      { task: "t3", reason: `process ${process.pid} has it open, and may write more` },
    ]);
  });

  test("finds a last line that was cut in it, at each byte", async () => {
    const bytes = await readFile(rig.path);
    const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (let end = start + 1; end < bytes.length; end += 1) {
      const problems = checkChains(parseLedger(bytes.subarray(0, end)));
      expect(problems.map(({ line }) => line)).toContain(5);
    }
  });

  test("rejects with LEDGER_MISSING where there is no ledger", async () => {
    await rm(rig.path);
    await expect(verify()).rejects.toMatchObject({ code: "LEDGER_MISSING" });
  });
});
