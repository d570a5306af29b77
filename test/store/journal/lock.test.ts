import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileJournal } from "../../../store/journal/index.ts";
import { commit, header, lines, readAll } from "../../testing/conformance.ts";
import { Contender, type End } from "./contender.ts";

let root = "";
let folders = 0;
let contenders: readonly [Contender, Contender];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
  contenders = await Promise.all([Contender.start(), Contender.start()]);
}, 60_000);
afterAll(async () => {
  await Promise.all(contenders.map((contender) => contender.end()));
  await rm(root, { recursive: true, force: true });
});
const folder = async (): Promise<string> => {
  const dir = join(root, `task-${++folders}`);
  await mkdir(dir);
  return dir;
};

/** All write to one journal at once: one of them has it, and nothing else stands in it. */
async function race(
  dir: string,
  drivers = 1,
): Promise<{ readonly winner: End; readonly losers: readonly End[] }> {
  const ends = (await Promise.all(contenders.map((contender) => contender.contend(dir, drivers)))).flat();
  const [winner, ...others] = ends.filter(({ won }) => won);
  const losers = ends.filter(({ won }) => !won);
  expect([winner?.won, others]).toEqual([true, []]);
  expect(losers).toHaveLength(2 * drivers - 1);
  for (const loser of losers) expect(loser).toMatchObject({ code: "JOURNAL_LOCKED" });
  const by = `by ${winner?.pid}`;
  const { records, tails } = await readAll(fileJournal({ dir }));
  expect(tails).toEqual([]);
  expect(records).toMatchObject([header, commit(1, by), commit(2, by), commit(3, by), commit(4, by)]);
  if (winner === undefined) throw new Error("Nobody won.");
  return { winner, losers };
}

const closeAll = (): Promise<unknown> => Promise.all(contenders.map((contender) => contender.close()));

describe("processes that want one task", () => {
  test("L11: one of two gets it and keeps all its records; the other is told who has it", async () => {
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

  test("L11: one of many takes over from a process that was killed, and nothing of the lock is left", async () => {
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

  test("what a killed process wrote stays, and its successor goes on behind it", async () => {
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

/** A lock as this process would write it, but for what is changed. */
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
  test("says which process has it, on which host and since when, and only its owner reads it", async () => {
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
      message: expect.stringContaining("this very process"),
    });
    const { since } = JSON.parse(await readFile(join(dir, "lock"), "utf8"));
    expect(since).toBeLessThanOrEqual(before);
    await driver.close();
    expect(await readdir(dir)).toEqual([]);
  });

  test.skipIf(!isLinux)("of a process whose number another has got since then is taken over", async () => {
    const { dir } = await lockOf({ startedAt: "1", nonce: "another" });
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await driver.close();
    expect(await readdir(dir)).toEqual(["journal.jsonl"]);
  });

  test.skipIf(!isLinux)("from before the system was started again is taken over", async () => {
    const { dir } = await lockOf({ boot: "another boot", nonce: "another" });
    const driver = fileJournal({ dir });
    await driver.own();
    await driver.close();
  });

  test.skipIf(!isLinux)("of a process that has ended and that its parent forgot is taken over", async () => {
    // It tells of its child's end and never asks how that ended.
    const script =
      '$|=1; $SIG{CHLD}=sub{print "ended\\n"}; if(!($pid=fork)){<STDIN>; exit} print "$pid\\n"; sleep 1000 while 1';
    const parent = spawn("bash", ["-c", `exec perl -e '${script}'`]);
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
    ["of another container", { pidSpace: "pid:[1]" }, "can't be seen from here"],
  ])("%s can't be checked: it is refused with the file to remove", async (_name, changes, words) => {
    const { dir, text } = await lockOf({ ...changes, nonce: "another", pid: 999_999 });
    const owned = fileJournal({ dir }).own();
    await expect(owned).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
      message: expect.stringContaining(`remove ${join(dir, "lock")}`),
    });
    await expect(owned).rejects.toThrow(words);
    expect(await readFile(join(dir, "lock"), "utf8")).toBe(text);
  });

  test.each(["", "{}", "4711", '{"pid":1'])(
    "that holds %j is not ours: it is refused and stays",
    async (text) => {
      const dir = await folder();
      await writeFile(join(dir, "lock"), text);
      await expect(fileJournal({ dir }).own()).rejects.toMatchObject({
        code: "JOURNAL_LOCKED",
        message: expect.stringContaining("no lock that this program wrote"),
      });
      expect(await readFile(join(dir, "lock"), "utf8")).toBe(text);
    },
  );

  test("of a process that died while it removed another dead one is taken over with it", async () => {
    const { dir, text } = await lockOf({ boot: "another boot", nonce: "first" });
    await writeFile(join(dir, "lock.after-first"), text.replace("first", "second"));
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await driver.close();
    expect(await readdir(dir)).toEqual(["journal.jsonl"]);
  });

  test("of a dead process is left to the one that removes it already", async () => {
    const { dir, text } = await lockOf({ boot: "another boot", nonce: "dead" });
    const remover = (await lockOf({ nonce: "remover" })).text;
    await writeFile(join(dir, "lock"), text);
    await writeFile(join(dir, "lock.after-dead"), remover);
    await expect(fileJournal({ dir }).own()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(await readFile(join(dir, "lock"), "utf8")).toBe(text);
    expect(await readFile(join(dir, "lock.after-dead"), "utf8")).toBe(remover);
  });

  test("that somebody else has taken away meanwhile is noticed after a rest, and is not removed", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await driver.rest();
    await rm(join(dir, "lock"));
    const other = fileJournal({ dir });
    await other.own();
    await expect(driver.append(lines(commit(1)))).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await driver.close();
    await other.append(lines(commit(1, "theirs")));
    await other.close();
    expect((await readAll(other)).seqs).toEqual([0, 1]);
  });

  test("is given up without a word when its folder is gone", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    await rm(dir, { recursive: true });
    await driver.close();
  });

  test("is not needed to read", async () => {
    const dir = await folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header));
    expect((await readAll(fileJournal({ dir }))).seqs).toEqual([0]);
    expect((await readdir(dir)).sort()).toEqual(["journal.jsonl", "lock"]);
    await driver.close();
  });
});
