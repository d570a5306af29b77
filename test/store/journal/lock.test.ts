import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileJournal } from "../../../store/journal/file.ts";
import { commit, header, lines, readAll } from "../../testing/conformance.ts";
import { Contender, type Result } from "./contender.ts";

let root = "";
let folders = 0;
let contenders: readonly [Contender, Contender];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
  contenders = await Promise.all([Contender.start(), Contender.start()]);
});
afterAll(async () => {
  await Promise.all(contenders.map((contender) => contender.end()));
  await rm(root, { recursive: true, force: true });
});
const folder = async (): Promise<string> => {
  const dir = join(root, `task-${++folders}`);
  await mkdir(dir);
  return dir;
};

/** Let all contenders write to one journal, and expect the records of exactly one. */
async function race(
  dir: string,
  drivers = 1,
): Promise<{ readonly winner: Result; readonly losers: readonly Result[] }> {
  const results = (await Promise.all(contenders.map((contender) => contender.contend(dir, drivers)))).flat();
  const [winner, ...others] = results.filter(({ won }) => won);
  const losers = results.filter(({ won }) => !won);
  expect([winner?.won, others]).toEqual([true, []]);
  expect(losers).toHaveLength(2 * drivers - 1);
  for (const loser of losers) expect(loser).toMatchObject({ code: "JOURNAL_LOCKED" });
  const by = `by ${winner?.pid}`;
  const { records, tails } = await readAll(fileJournal({ dir }));
  expect(tails).toEqual([]);
  expect(records).toMatchObject([header, commit(1, by), commit(2, by), commit(3, by), commit(4, by)]);
  if (winner === undefined) throw new Error("Expected a winner, found none.");
  return { winner, losers };
}

const closeAll = (): Promise<unknown> => Promise.all(contenders.map((contender) => contender.close()));

describe("processes that contend for a journal", () => {
  test("L11: one of two writes all its records; the error of the other names the owner", async () => {
    for (let round = 0; round < 20; round += 1) {
      const dir = await folder();
      const { winner, losers } = await race(dir);
      for (const loser of losers)
        expect(loser).toMatchObject({
          message: expect.stringContaining(`process ${winner.pid} on host ${hostname()} since 20`),
        });
      await closeAll();
      expect(await readdir(dir)).toEqual(["journal.jsonl"]);
    }
  });

  test("L11: one of many takes over the lock of a killed process, and leaves no lock file", async () => {
    const killed = await Contender.start();
    const dir = await folder();
    expect(await killed.contend(dir)).toMatchObject([{ won: true, pid: killed.pid }]);
    const refused = await contenders[0].contend(dir);
    expect(refused).toMatchObject([
      { won: false, message: expect.stringContaining(`process ${killed.pid} `) },
    ]);
    await killed.kill();
    const stale = await readFile(join(dir, "lock"));
    for (let round = 0; round < 30; round += 1) {
      const next = await folder();
      await writeFile(join(next, "lock"), stale);
      await race(next, 1 + (round % 3));
      await closeAll();
      expect(await readdir(next)).toEqual(["journal.jsonl"]);
    }
  });

  test("the successor of a killed process appends to its records", async () => {
    const killed = await Contender.start();
    const dir = await folder();
    await killed.contend(dir);
    await killed.kill();
    const driver = fileJournal({ dir });
    await driver.own();
    await driver.append(lines(commit(5)));
    await driver.close();
    expect((await readAll(driver)).seqs).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

/** Write a lock of this process with changes. */
async function lockOf(changes: Readonly<Record<string, unknown>>): Promise<{ dir: string; text: string }> {
  const dir = await folder();
  const driver = fileJournal({ dir });
  await driver.own();
  const text = JSON.stringify({ ...JSON.parse(await readFile(join(dir, "lock"), "utf8")), ...changes });
  await driver.close();
  await writeFile(join(dir, "lock"), text);
  return { dir, text };
}

const isLinux = process.platform === "linux";

describe("a lock", () => {
  test("names its process and host, and the error of another driver shows it", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.own();
    const before = Date.now();
    expect(JSON.parse(await readFile(join(dir, "lock"), "utf8"))).toMatchObject({
      pid: process.pid,
      host: hostname(),
      nonce: expect.any(String),
    });
    const other = fileJournal({ dir }).own();
    await expect(other).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
      message: expect.stringContaining("Locked by this process"),
    });
    const { since } = JSON.parse(await readFile(join(dir, "lock"), "utf8"));
    expect(since).toBeLessThanOrEqual(before);
    await driver.close();
    expect(await readdir(dir)).toEqual([]);
  });

  test.skipIf(!isLinux)("of a process whose id was reused is taken over", async () => {
    const { dir } = await lockOf({ startedAt: "1", nonce: "another" });
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await driver.close();
    expect(await readdir(dir)).toEqual(["journal.jsonl"]);
  });

  test.skipIf(!isLinux)("from before a reboot is taken over", async () => {
    const { dir } = await lockOf({ boot: "another boot", nonce: "another" });
    const driver = fileJournal({ dir });
    await driver.own();
    await driver.close();
  });

  test.skipIf(!isLinux)("of a zombie is taken over", async () => {
    // Reports the exit of its child, but does not reap it.
    const script =
      '$|=1; $SIG{CHLD}=sub{print "ended\\n"}; if(!($pid=fork)){<STDIN>; exit} print "$pid\\n"; sleep 1000 while 1';
    const parent = spawn("perl", ["-e", script]);
    const pid = Number(String((await once(parent.stdout, "data"))[0]));
    const ended = once(parent.stdout, "data");
    parent.stdin.write("\n");
    expect(String((await ended)[0])).toBe("ended\n");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const startedAt = stat.split(") ")[1]?.split(" ")[19];
    const { dir } = await lockOf({ pid, startedAt, nonce: "another" });
    const driver = fileJournal({ dir });
    await driver.own();
    await driver.close();
    const gone = once(parent, "exit");
    parent.kill("SIGKILL");
    await gone;
  });

  test.each([
    ["of another host", { host: "elsewhere.example" }, "on host elsewhere.example"],
    ["of another container", { pidSpace: "pid:[1]" }, "cannot be checked from here"],
  ])("%s is rejected; the error names the file to remove", async (_name, changes, text) => {
    const { dir, text: lock } = await lockOf({ ...changes, nonce: "another", pid: 999_999 });
    const owned = fileJournal({ dir }).own();
    await expect(owned).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
      message: expect.stringContaining(`remove ${join(dir, "lock")}`),
    });
    await expect(owned).rejects.toThrow(text);
    expect(await readFile(join(dir, "lock"), "utf8")).toBe(lock);
  });

  test.each(["", "{}", "4711", '{"pid":1'])("with the content %j is rejected and stays", async (text) => {
    const dir = await folder();
    await writeFile(join(dir, "lock"), text);
    await expect(fileJournal({ dir }).own()).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
      message: expect.stringContaining("is not a lock of this program"),
    });
    expect(await readFile(join(dir, "lock"), "utf8")).toBe(text);
  });

  test("of a process that died during a takeover is taken over too", async () => {
    const { dir, text } = await lockOf({ boot: "another boot", nonce: "first" });
    await writeFile(join(dir, "lock.after-first"), text.replace("first", "second"));
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await driver.close();
    expect(await readdir(dir)).toEqual(["journal.jsonl"]);
  });

  test("of a dead process is left to the process that is taking it over", async () => {
    const { dir, text } = await lockOf({ boot: "another boot", nonce: "dead" });
    const remover = (await lockOf({ nonce: "remover" })).text;
    await writeFile(join(dir, "lock"), text);
    await writeFile(join(dir, "lock.after-dead"), remover);
    await expect(fileJournal({ dir }).own()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(await readFile(join(dir, "lock"), "utf8")).toBe(text);
    expect(await readFile(join(dir, "lock.after-dead"), "utf8")).toBe(remover);
  });

  test("that was replaced while the file was closed is detected, and the new lock stays", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await driver.release();
    await rm(join(dir, "lock"));
    const other = fileJournal({ dir });
    await other.own();
    await expect(driver.append(lines(commit(1)))).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await driver.close();
    await other.append(lines(commit(1, "theirs")));
    await other.close();
    expect((await readAll(other)).seqs).toEqual([0, 1]);
  });

  test("of a deleted folder is released without an error", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await rm(dir, { recursive: true });
    await driver.close();
  });

  test("is not needed to read a journal", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    expect((await readAll(fileJournal({ dir }))).seqs).toEqual([0]);
    expect((await readdir(dir)).sort()).toEqual(["journal.jsonl", "lock"]);
    await driver.close();
  });
});
