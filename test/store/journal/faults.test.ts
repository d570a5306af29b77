import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { JournalError } from "../../../store/journal/error.ts";
import { fileJournal } from "../../../store/journal/file.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import { failingJournal } from "../../../testing/index.ts";
import { commit, contentOf, contentWith, header, lines, readAll } from "../../testing/conformance.ts";

/** Results of the next writes: the maximum number of bytes written, then the code of an error, if any. */
const disk = vi.hoisted(() => ({ results: [] as { bytes: number; code?: string }[] }));
vi.mock("node:fs", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs")>();
  const writeSync = (fd: number, bytes: Buffer, from: number): number => {
    const result = disk.results.shift();
    if (result === undefined) return real.writeSync(fd, bytes, from);
    const length = Math.min(result.bytes, bytes.length - from);
    const written = length === 0 ? 0 : real.writeSync(fd, bytes, from, length);
    if (result.code === undefined) return written;
    throw Object.assign(new Error("a fault"), { code: result.code });
  };
  return { ...real, writeSync };
});

let root = "";
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = (): string => join(root, `task-${++folders}`);

describe("a write", () => {
  test.prop([fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 })], { numRuns: 20 })(
    "that is partial is continued until all bytes are written",
    async (sizes) => {
      const driver = fileJournal({ dir: folder() });
      disk.results = sizes.map((bytes) => ({ bytes }));
      await driver.append(lines(header, commit(1, "é😀")));
      disk.results = [];
      await driver.append(lines(commit(2)));
      await driver.close();
      expect(await contentOf(driver)).toEqual(contentWith(header, commit(1, "é😀"), commit(2)));
    },
  );

  test.prop([fc.nat(150), fc.constantFrom(["ENOSPC", "JOURNAL_FULL"], ["EIO", "JOURNAL_IO"])], {
    numRuns: 20,
  })(
    "L11: that fails midway rejects with its error code; a retry writes each line once",
    async (bytes, [systemError, code]) => {
      const driver = fileJournal({ dir: folder() });
      await driver.append(lines(header));
      disk.results = [{ bytes, ...(systemError !== undefined && { code: systemError }) }];
      const batch = lines(commit(1), commit(2));
      await expect(driver.append(batch)).rejects.toMatchObject({ code, path: driver.path });
      await driver.append(batch);
      await driver.close();
      expect(await contentOf(driver)).toEqual(contentWith(header, commit(1), commit(2)));
    },
  );

  test("that writes no bytes rejects instead of retrying forever", async () => {
    const driver = fileJournal({ dir: folder() });
    disk.results = [{ bytes: 5 }, { bytes: 0 }];
    await expect(driver.append(lines(header))).rejects.toMatchObject({
      code: "JOURNAL_IO",
      message: expect.stringContaining("bytes were not written"),
    });
    await driver.append(lines(header));
    await driver.close();
    expect((await readAll(driver)).seqs).toEqual([0]);
  });
});

const asRoot = (tool: string, ...args: readonly string[]): void => {
  execFileSync(tool, args, { stdio: "pipe" });
};

/** Mount a small file system, or return the reason why that is impossible. */
function smallDisk(): { readonly dir?: string; readonly reason: string } {
  if (process.platform !== "linux") return { reason: "only Linux has tmpfs" };
  const dir = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    asRoot("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir);
    return { dir, reason: "" };
  } catch (error) {
    rmSync(dir, { recursive: true });
    return { reason: String(error) };
  }
}

describe("a full disk", () => {
  const { dir, reason } = smallDisk();
  if (dir === undefined) console.log(`Skipped the tests of a full disk: ${reason}`);
  afterAll(() => {
    if (dir === undefined) return;
    asRoot("umount", dir);
    rmSync(dir, { recursive: true });
  });

  test.skipIf(dir === undefined)(
    "L11: keeps all durable records, and accepts more once there is space",
    async () => {
      const ballast = join(dir ?? "", "ballast");
      await writeFile(ballast, Buffer.alloc(64 * 1024));
      const driver = fileJournal({ dir: join(dir ?? "", "task") });
      const text = "x".repeat(3000);
      await driver.append(lines(header));
      let seq = 0;
      const append = () => driver.append(lines(commit(seq + 1, text), commit(seq + 2, text)));
      const fill = async (): Promise<unknown> => {
        for (;;) {
          try {
            await append();
            seq += 2;
          } catch (error) {
            return error;
          }
        }
      };
      expect(await fill()).toMatchObject({ code: "JOURNAL_FULL" });
      expect((await readAll(driver)).seqs.slice(0, seq + 1)).toEqual(
        Array.from({ length: seq + 1 }, (_, n) => n),
      );
      await expect(append()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
      await rm(ballast);
      await append();
      seq += 2;
      await driver.close();
      const { seqs, tails } = await readAll(driver);
      expect([seqs.length, tails]).toEqual([seq + 1, []]);
    },
  );

  test.skipIf(dir === undefined)("rejects a new task, and accepts it once there is space", async () => {
    const ballast = join(dir ?? "", "ballast");
    await writeFile(ballast, Buffer.alloc(256 * 1024)).catch(() => undefined);
    const driver = fileJournal({ dir: join(dir ?? "", "another") });
    await expect(driver.append(lines(header), { first: true })).rejects.toMatchObject({
      code: "JOURNAL_FULL",
    });
    await rm(ballast);
    await driver.append(lines(header), { first: true });
    await driver.close();
    expect((await readAll(driver)).seqs).toEqual([0]);
  });
});

test("failingJournal fails the selected writes only", async () => {
  const error = new JournalError("JOURNAL_IO", "(memory)", "a fault");
  const driver = failingJournal(memoryJournal(), (write) => (write === 2 ? error : undefined));
  await driver.append(lines(header));
  await expect(driver.append(lines(commit(1)))).rejects.toBe(error);
  await driver.append(lines(commit(1)));
  expect((await readAll(driver)).seqs).toEqual([0, 1]);
});
