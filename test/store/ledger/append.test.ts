import { execFileSync } from "node:child_process";
import { appendFile, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../actors/index.ts";
import { fileJournal, readLedger, verifyLedger } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { fileWrite, type LedgerRig, ledgerOf, openLedgerRig, settled } from "./ledger-rig.ts";

let rig: LedgerRig;
beforeEach(async () => {
  rig = await openLedgerRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const CLEAN = { problems: [], unchecked: [] };
const verify = () => verifyLedger(rig.root, rig.dataDir);
const paths = async () => (await readLedger(rig.root)).map(({ line }) => `${line?.task} ${line?.path}`);

describe("a ledger that is appended to", () => {
  test("has the facts of each write, and the hash of the line before it of the same task", async () => {
    const [t1, t2] = [rig.open("t1"), rig.open("t2")];
    await t1.write([fileWrite("a.txt")]);
    await t2.write([fileWrite("b.bin", { before: "c".repeat(64), after: null })]);
    await t1.write([fileWrite("c.txt")]);
    const [first, second, third] = (await readLedger(rig.root)).map(({ line }) => line);
    expect(first).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      previous: null,
      task: "t1",
      sequence: 1,
      part: 1,
      at: 1_001,
      intent: null,
      tool: "write_to_file",
      path: "a.txt",
      before: null,
      after: "a".repeat(64),
      lines: [{ before: { start: 1, count: 0 }, after: { start: 1, count: 2 } }],
      revision: "b".repeat(40),
      branch: "main",
      model: "mock/m1",
    });
    expect([second?.previous, third?.previous]).toEqual([null, first?.hash]);
  });

  test("cuts off an incomplete last line, keeps it beside the ledger, and gets the line from the journal", async () => {
    const task = rig.open("t1");
    await task.write([fileWrite("a.txt")]);
    await task.write([fileWrite("b.txt")]);
    const whole = await readFile(rig.path);
    await truncate(rig.path, whole.length - 10);
    await ledgerOf(new LedgerFile(rig.root, { clock: systemClock }), task.driver, "t1", true).catchUp();
    expect(await readFile(rig.path)).toEqual(whole);
    const start = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    const name = `agent_trace.jsonl.torn-${start}`;
    expect(await readdir(path.dirname(rig.path))).toEqual(["agent_trace.jsonl", name]);
    expect(await readFile(path.join(path.dirname(rig.path), name))).toEqual(whole.subarray(start, -10));
  });

  test("ends a last line that lacks only its newline", async () => {
    const task = rig.open("t1");
    await task.write([fileWrite("a.txt")]);
    const whole = await readFile(rig.path);
    await truncate(rig.path, whole.length - 1);
    await task.write([fileWrite("b.txt")]);
    await task.driver.close();
    expect(await verify()).toMatchObject({ lines: 2, ...CLEAN });
    expect((await readFile(rig.path)).subarray(0, whole.length)).toEqual(whole);
  });

  test("gets again what another checkout of git does not have", async () => {
    const task = rig.open("t1");
    await task.write([fileWrite("a.txt")]);
    const earlier = await rig.lines();
    await task.write([fileWrite("b.txt")]);
    await rig.put(earlier);
    await task.write([fileWrite("c.txt")]);
    await rm(rig.path);
    await task.write([fileWrite("d.txt")]);
    await task.driver.close();
    expect(await verify()).toMatchObject({ lines: 4, ...CLEAN });
  });

  test("considers what others appended in the meantime", async () => {
    const [t1, t2] = [rig.open("t1"), rig.open("t2")];
    await t1.write([fileWrite("a.txt")]);
    await ledgerOf(new LedgerFile(rig.root, { clock: systemClock }), t2.driver, "t2").flushed();
    const others = rig.open("t3");
    await others.write([fileWrite("x.txt")], "killed");
    await ledgerOf(new LedgerFile(rig.root, { clock: systemClock }), others.driver, "t3", true).catchUp();
    await t1.write([fileWrite("b.txt")]);
    expect(await paths()).toEqual(["t1 a.txt", "t3 x.txt", "t1 b.txt"]);
  });

  test("has the writes of a fork under its own id, and none that it shares with the original", async () => {
    const task = rig.open("t1");
    await task.write([fileWrite("a.txt")]);
    await task.write([fileWrite("b.txt")]);
    await task.driver.close();
    await forkTask(fileHistory(rig.dataDir), "t1", { at: 1, newId: "t2" });
    const driver = fileJournal({ dir: taskFolder(rig.dataDir, "t2") });
    await driver.append([encodeLine(settled(2, [fileWrite("c.txt")]))]);
    await ledgerOf(new LedgerFile(rig.root, { clock: systemClock }), driver, "t2", true).catchUp();
    await driver.close();
    expect(await paths()).toEqual(["t1 a.txt", "t1 b.txt", "t2 c.txt"]);
    expect(await verify()).toMatchObject(CLEAN);
  });

  test("stays valid when git merges the chains of two branches", async () => {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: rig.root });
    await writeFile(path.join(rig.root, ".gitattributes"), ".orchestration/*.jsonl merge=union\n");
    git("init", "-q", "-b", "main");
    const commit = (name: string) => {
      git("add", ".");
      git("commit", "-qm", name);
    };
    const [t1, t2] = [rig.open("t1"), rig.open("t2")];
    await t1.write([fileWrite("a.txt")]);
    commit("one");
    git("checkout", "-qb", "side");
    await t2.write([fileWrite("b.txt")]);
    await t2.write([fileWrite("c.txt")]);
    commit("two");
    git("checkout", "-q", "main");
    await t1.write([fileWrite("d.txt")]);
    commit("three");
    git("merge", "-q", "side", "-m", "merge");
    for (const { driver } of [t1, t2]) await driver.close();
    expect(await verify()).toEqual({ lines: 4, tasks: 2, ...CLEAN });
  });

  test("does not follow a symlink", async () => {
    const outside = path.join(rig.dataDir, "..", "outside.txt");
    await writeFile(outside, "");
    await symlink(outside, rig.path);
    const file = new LedgerFile(rig.root, { clock: systemClock });
    await expect(file.update(async () => undefined)).rejects.toMatchObject({ code: "LEDGER_IO" });
    await rm(path.dirname(rig.path), { recursive: true });
    await symlink(rig.dataDir, path.dirname(rig.path));
    expect(await file.isOn()).toBe(false);
  });

  test("leaves damaged lines as they are, and goes on behind them", async () => {
    const task = rig.open("t1");
    await task.write([fileWrite("a.txt")]);
    await appendFile(rig.path, "not a line\n");
    await task.write([fileWrite("b.txt")]);
    await task.driver.close();
    expect((await verify()).problems).toEqual([{ line: 2, problem: "it is not a line of a ledger" }]);
  });
});
