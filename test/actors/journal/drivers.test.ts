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
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { failingJournal, fileJournal, JournalError, memoryJournal } from "../../../actors/journal/index.ts";
import type { JournalDraft } from "../../../wire/index.ts";
import { commit, contentOf, driverConformance, header, lines, readAll } from "./conformance.ts";

let root = "";
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = (): string => join(root, `task-${++folders}`);

driverConformance("the memory journal", {
  make: async (content) => memoryJournal(content === undefined ? {} : { content }),
  // Memory does not outlive its driver: what is durable in it is what it holds.
  reopen: async (driver) => memoryJournal({ content: await contentOf(driver) }),
});

driverConformance("the file journal", {
  make: async (content) => {
    const driver = fileJournal({ dir: folder() });
    if (content === undefined) return driver;
    await mkdir(dirname(driver.path));
    await writeFile(driver.path, content);
    return driver;
  },
  reopen: async (driver) => fileJournal({ dir: dirname(driver.path) }),
});

driverConformance("a journal whose faults are over", {
  make: async (content) =>
    failingJournal(memoryJournal(content === undefined ? {} : { content }), () => undefined),
  reopen: async (driver) => memoryJournal({ content: await contentOf(driver) }),
});

const openFiles = async (path: string): Promise<number> => {
  const handles = await readdir("/proc/self/fd");
  const targets = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => "closed meanwhile")),
  );
  return targets.filter((target) => target === path).length;
};

describe("the file journal", () => {
  test("makes its folders and a file that only its owner reads, with the first record and not before", async () => {
    const dir = join(folder(), "a", "b");
    const driver = fileJournal({ dir });
    await expect(stat(dir)).rejects.toMatchObject({ code: "ENOENT" });
    await driver.append(lines(header));
    expect((await stat(driver.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(driver.path).toBe(join(dir, "journal.jsonl"));
    await driver.close();
  });

  test("L11: what waits while a write is in flight is written together, with one sync for all of it", async () => {
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

  test("every line is JSON that other programs read", async () => {
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
    "holds one handle while it is written to, and none at rest",
    async () => {
      const driver = fileJournal({ dir: folder() });
      expect(await openFiles(driver.path)).toBe(0);
      await driver.append(lines(header));
      expect(await openFiles(driver.path)).toBe(1);
      await driver.rest();
      expect(await openFiles(driver.path)).toBe(0);
      await driver.append(lines(commit(1)));
      await driver.close();
      expect(await openFiles(driver.path)).toBe(0);
    },
  );

  test("a file that something else changed at rest is not written to", async () => {
    for (const [length, found] of [
      [0, 0],
      [5, 5],
    ] as const) {
      const driver = fileJournal({ dir: folder() });
      await driver.append(lines(header));
      await driver.rest();
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
    "L11: a full disk is told by its name, and what it left half written is cut",
    async () => {
      // A process of its own, with a file size limit that the third record breaks.
      const dir = folder();
      const script = `
      import { fileJournal } from ${JSON.stringify(join(process.cwd(), "actors/journal/index.ts"))};
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
      const child = spawn("bash", ["-c", `ulimit -f 1; exec "${process.execPath}" --import tsx "${file}"`], {
        env: { ...process.env, TSX_DISABLE_CACHE: "1" },
      });
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

  test("a folder that can't be made is told with its path and what to do; what waits behind it fails too", async () => {
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
});

describe("a reader", () => {
  const file = (...parts: readonly string[]) => memoryJournal({ content: Buffer.from(parts.join("")) });
  const line = (...drafts: readonly JournalDraft[]): string => `${lines(...drafts).join("\n")}\n`;

  test("a last line whose bytes were changed is dropped and reported", async () => {
    const { seqs, torn } = await readAll(file(line(header), line(commit(1)).replace("row", "raw")));
    expect(seqs).toEqual([0]);
    expect(torn).toMatchObject([{ line: 2, reason: "its checksum does not fit" }]);
  });

  test("several bad lines at the end are one torn tail", async () => {
    const { seqs, torn } = await readAll(file(line(header), "garbage\n", "\u0000\u0000\n", "{"));
    expect(seqs).toEqual([0]);
    expect(torn).toEqual([
      { line: 2, at: line(header).length, bytes: 12, reason: "it does not begin with a checksum" },
    ]);
  });

  test("a bad line before whole ones is damage, and is named", async () => {
    await expect(readAll(file(line(header), "garbage\n", line(commit(2))))).rejects.toMatchObject({
      code: "JOURNAL_DAMAGED",
      message: expect.stringContaining("Line 2"),
    });
  });

  test.each([
    ["a record that is missing", [header, commit(2)]],
    ["a record that stands twice", [header, commit(1), commit(1)]],
    ["no header", [commit(0)]],
  ])("%s is damage", async (_name, drafts) => {
    await expect(readAll(file(line(...drafts)))).rejects.toMatchObject({ code: "JOURNAL_DAMAGED" });
  });

  test("a journal of a later version is refused by its version", async () => {
    await expect(readAll(file(line({ ...header, version: 2 })))).rejects.toMatchObject({
      code: "JOURNAL_VERSION",
      message: expect.stringContaining("knows up to 1"),
    });
  });

  test("a whole line that is no record is refused with its place and what was expected", async () => {
    const odd = { seq: 1, kind: "commit", at: 1, before: "a", after: 5 } as unknown as JournalDraft;
    await expect(readAll(file(line(header, odd)))).rejects.toMatchObject({
      code: "JOURNAL_RECORD",
      message: expect.stringContaining("after"),
    });
  });

  test("lines that come in pieces of any size are read the same", async () => {
    const content = Buffer.from(line(header, commit(1, "é😀"), commit(2)));
    for (const size of [1, 2, 3, 7, 64]) {
      const inner = memoryJournal();
      const driver = {
        ...inner,
        async *read() {
          for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size);
        },
      };
      expect((await readAll(driver)).seqs).toEqual([0, 1, 2]);
    }
  });
});

test("a driver that fails on purpose fails the writes that it is told to, and no others", async () => {
  const error = new JournalError("JOURNAL_IO", "(memory)", "a fault");
  const driver = failingJournal(memoryJournal(), (write) => (write === 2 ? error : undefined));
  await driver.append(lines(header));
  await expect(driver.append(lines(commit(1)))).rejects.toBe(error);
  await driver.append(lines(commit(1)));
  expect((await readAll(driver)).seqs).toEqual([0, 1]);
});
