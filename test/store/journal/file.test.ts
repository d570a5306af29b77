import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fileJournal } from "../../../store/journal/file.ts";
import { commit, contentWith, header, lines, readAll } from "../../testing/conformance.ts";

let root = "";
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = (): string => join(root, `task-${++folders}`);

const openFiles = async (path: string): Promise<number> => {
  const handles = await readdir("/proc/self/fd");
  const targets = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => "closed meanwhile")),
  );
  return targets.filter((target) => target === path).length;
};

describe("the file journal", () => {
  test("creates its folders and a private file with the first record, not before", async () => {
    const dir = join(folder(), "a", "b");
    const driver = fileJournal({ dir });
    await expect(stat(dir)).rejects.toMatchObject({ code: "ENOENT" });
    await driver.append(lines(header));
    expect((await stat(driver.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(driver.path).toBe(join(dir, "journal.jsonl"));
    await driver.close();
  });

  test("L11: appends that wait for a write share the next write and its sync", async () => {
    const driver = fileJournal({ dir: folder() });
    await driver.append(lines(header));
    const probe = await open(driver.path);
    const handles: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const syncs = vi.spyOn(handles, "datasync");
    const appends = [driver.append(lines(commit(1)))];
    for (let hop = 0; hop < 5; hop += 1) await Promise.resolve();
    for (const seq of [2, 3, 4]) appends.push(driver.append(lines(commit(seq))));
    await appends[0];
    expect(syncs).toHaveBeenCalledTimes(1);
    await Promise.all(appends);
    expect(syncs).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
    expect((await readAll(driver)).seqs).toEqual([0, 1, 2, 3, 4]);
    await driver.close();
  });

  test("every line is JSON", async () => {
    const driver = fileJournal({ dir: folder() });
    await driver.append(lines(header, commit(1)));
    const text = await readFile(driver.path, "utf8");
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([header, commit(1)]);
    await driver.close();
  });

  test.skipIf(process.platform !== "linux")(
    "holds one file handle while open, and none after release",
    async () => {
      const driver = fileJournal({ dir: folder() });
      expect(await openFiles(driver.path)).toBe(0);
      await driver.append(lines(header));
      expect(await openFiles(driver.path)).toBe(1);
      await driver.release();
      expect(await openFiles(driver.path)).toBe(0);
      await driver.append(lines(commit(1)));
      await driver.close();
      expect(await openFiles(driver.path)).toBe(0);
    },
  );

  test("a file that another program changed is not written to", async () => {
    for (const [length, found] of [
      [0, 0],
      [5, 5],
    ] as const) {
      const driver = fileJournal({ dir: folder() });
      await driver.append(lines(header));
      await driver.release();
      await truncate(driver.path, length);
      await expect(driver.append(lines(commit(1)))).rejects.toMatchObject({
        code: "JOURNAL_CHANGED",
        message: expect.stringContaining(`found ${found}`),
      });
      expect((await stat(driver.path)).size).toBe(length);
      await driver.close();
    }
  });

  test.skipIf(process.platform !== "linux")(
    "L11: a full disk rejects with JOURNAL_FULL, and its partial line is removed",
    async () => {
      // A child process with a file size limit that the third record exceeds.
      const dir = folder();
      const script = `
      import { fileJournal } from ${JSON.stringify(join(process.cwd(), "store/journal/file.ts"))};
      process.on("SIGXFSZ", () => {});
      const driver = fileJournal({ dir: ${JSON.stringify(dir)} });
      const seen = [];
      const append = (text) => driver.append([text]).then(() => seen.push("ok"), (error) => seen.push(error.code));
      await append("a".repeat(400));
      await append("b".repeat(400));
      const tooLong = append("c".repeat(400));
      for (let hop = 0; hop < 5; hop += 1) await Promise.resolve();
      await Promise.all([tooLong, append("behind it")]);
      await append("d".repeat(100));
      console.log(JSON.stringify(seen));
    `;
      const file = join(root, "limited.mts");
      await writeFile(file, script);
      const child = spawn(
        "bash",
        ["--norc", "-c", `ulimit -f 1; exec "${process.execPath}" --import tsx "${file}"`],
        {
          env: { ...process.env, TSX_DISABLE_CACHE: "1" },
        },
      );
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      await once(child, "close");
      expect(Buffer.concat(err).toString()).toBe("");
      expect(JSON.parse(Buffer.concat(out).toString())).toEqual([
        "ok",
        "ok",
        "JOURNAL_FULL",
        "JOURNAL_FULL",
        "ok",
      ]);
      const text = await readFile(join(dir, "journal.jsonl"), "utf8");
      expect(text).toBe(`${"a".repeat(400)}\n${"b".repeat(400)}\n${"d".repeat(100)}\n`);
    },
  );

  test("a folder that cannot be created rejects the append, and those that wait behind it", async () => {
    const dir = folder();
    await writeFile(dir, "a file");
    const driver = fileJournal({ dir });
    const results = await Promise.allSettled([driver.append(lines(header)), driver.append(lines(commit(1)))]);
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "JOURNAL_IO", path: driver.path } });
    }
    await rm(dir);
    await driver.append(lines(header));
    expect((await readAll(driver)).seqs).toEqual([0]);
    await driver.close();
  });

  test("L11: an incomplete last line is copied to a private backup before it is removed", async () => {
    const dir = folder();
    const whole = contentWith(header, commit(1), commit(2));
    const at = contentWith(header, commit(1)).length;
    await mkdir(dir);
    for (const name of [`journal.jsonl.torn-${at}`, `journal.jsonl.torn-${at}.2`]) {
      await writeFile(join(dir, "journal.jsonl"), whole.subarray(0, -5));
      const driver = fileJournal({ dir });
      await driver.append(lines(commit(2, "another")));
      await driver.close();
      expect(await readFile(join(dir, name))).toEqual(whole.subarray(at, -5));
      expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
      expect((await readAll(driver)).records).toMatchObject([header, commit(1), commit(2, "another")]);
    }
  });

  test("L11: the backup of a truncation is durable before the file is truncated", async () => {
    const driver = fileJournal({ dir: folder() });
    await driver.append(lines(header, commit(1)));
    const probe = await open(driver.path);
    const handles: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const order: string[] = [];
    const note = (name: "sync" | "truncate" | "datasync") => {
      const real = handles[name];
      vi.spyOn(handles, name).mockImplementation(function (this: FileHandle, ...args: []) {
        order.push(name);
        return real.apply(this, args);
      });
    };
    note("sync");
    note("truncate");
    note("datasync");
    await driver.release();
    await driver.truncate(contentWith(header).length);
    vi.restoreAllMocks();
    // The backup, its name, the truncation, and its sync.
    expect(order).toEqual(["sync", "sync", "truncate", "datasync"]);
    await driver.close();
  });

  test("a truncation without a backup leaves the journal unchanged", async () => {
    const dir = folder();
    const driver = fileJournal({ dir });
    await driver.append(lines(header, commit(1)));
    const probe = await open(driver.path);
    const handles: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    vi.spyOn(handles, "sync").mockRejectedValue(Object.assign(new Error("no room"), { code: "ENOSPC" }));
    await expect(driver.truncate(0)).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    vi.restoreAllMocks();
    expect((await readdir(dir)).sort()).toEqual(["journal.jsonl", "lock"]);
    await driver.append(lines(commit(2)));
    expect((await readAll(driver)).seqs).toEqual([0, 1, 2]);
    await driver.close();
  });
});
