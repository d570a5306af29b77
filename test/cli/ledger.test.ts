import { EventEmitter } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { fileVersion } from "../../tools/file-version.ts";
import { fileWrite, type LedgerRig, openLedgerRig } from "../store/ledger/ledger-rig.ts";

let rig: LedgerRig;
beforeEach(async () => {
  rig = await openLedgerRig();
  const task = rig.open("t1");
  const after = fileVersion(Buffer.from("one\ntwo\n"));
  await task.write([
    fileWrite("a.txt", { after }),
    fileWrite("b.txt", { before: "c".repeat(64), after: null }),
  ]);
  await task.driver.close();
  await writeFile(path.join(rig.root, "a.txt"), "one\ntwo\n");
});
afterEach(() => rig[Symbol.asyncDispose]());

async function ledger(...args: readonly string[]) {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(["ledger", ...args, "-w", rig.root], io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}
const verify = (...args: readonly string[]) => ledger("verify", "--data-dir", rig.dataDir, ...args);

describe("signalbox ledger", () => {
  test("verify exits with 0 and counts lines and tasks of a ledger without problems", async () => {
    expect(await verify()).toEqual({ code: 0, stdout: "2 lines of 1 task: no problems.\n", stderr: "" });
  });

  test("verify exits with 1 for an edited line, and names it; also as JSON", async () => {
    const [first = "", second = ""] = await rig.lines();
    await rig.put([first.replace("a.txt", "x.txt"), second]);
    const { code, stdout } = await verify();
    expect(code).toBe(1);
    expect(stdout).toContain("line 1: its content does not match its hash.");
    expect(JSON.parse((await verify("--format", "json")).stdout)).toMatchObject({ problems: [{ line: 1 }] });
  });

  test("verify names a missing line, and a task whose journal is not there", async () => {
    await rig.put((await rig.lines()).slice(0, 1));
    const cut = await verify();
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain("missing: the line of b.txt is missing, record 1 of task t1");
    await rm(rig.dataDir, { recursive: true });
    const unchecked = await verify();
    expect(unchecked.code).toBe(0);
    expect(unchecked.stdout).toContain("A cut or rewritten end is not found.");
  });

  test("each command exits with 1 and a message where there is no ledger", async () => {
    await rm(rig.path);
    for (const { code, stderr } of [await verify(), await ledger("show"), await ledger("blame", "a.txt:1")]) {
      expect(code).toBe(1);
      expect(stderr).toContain(`There is no ledger ${rig.path}`);
    }
  });

  test("show lists each write with tool, path, numbers of lines and model", async () => {
    const [first, second] = (await ledger("show")).stdout.split("\n");
    expect(first).toMatch(
      /^ {4}1 {2}1970-01-01 .* {2}write_to_file {2}a\.txt \(created \+2 -0\) {2}task t1 {2}mock\/m1$/,
    );
    expect(second).toContain("b.txt (deleted)");
    const json = (await ledger("show", "--format", "json")).stdout.trim().split("\n");
    expect(json.map((line) => JSON.parse(line))).toMatchObject([{ path: "a.txt" }, { path: "b.txt" }]);
  });

  test("blame names the task, the record, the model and the commit of a line", async () => {
    const { stdout } = await ledger("blame", "a.txt:2");
    expect(stdout).toContain("a.txt:2 was written by write_to_file at 1970-01-01");
    expect(stdout).toContain("Task       t1, record 1");
    expect(stdout).toContain("To view it signalbox inspect t1 --at 1\n");
    expect(stdout).toContain("Model      mock/m1");
    expect(stdout).toContain(`Git        ${"b".repeat(40)} on main`);
    expect(stdout).not.toContain("not as the ledger last recorded");
  });

  test("blame says that the file is not what the ledger last recorded", async () => {
    await writeFile(path.join(rig.root, "a.txt"), "one\n2\n");
    expect((await ledger("blame", "a.txt:2")).stdout).toContain(
      "The file is not as the ledger last recorded it",
    );
  });

  test("blame rejects a place without a line, and one that the file has not", async () => {
    expect((await ledger("blame", "a.txt")).stderr).toContain("expected FILE:LINE, such as src/a.ts:12");
    expect((await ledger("blame", "a.txt:9")).stderr).toContain("a.txt has 2 lines");
  });
});
