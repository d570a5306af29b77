import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileWrite } from "../../../machines/tool-call/file-write.ts";
import { blameLine } from "../../../store/index.ts";
import { lineChanges } from "../../../tools/diff/line-changes.ts";
import { fileVersion } from "../../../tools/file-version.ts";
import { fileWrite, type LedgerRig, openLedgerRig, type RecordedTask } from "./ledger-rig.ts";

let rig: LedgerRig;
let task: RecordedTask;
beforeEach(async () => {
  rig = await openLedgerRig();
  task = rig.open("t1");
});
afterEach(() => rig[Symbol.asyncDispose]());

const version = (text: string) => fileVersion(Buffer.from(text));
/** A write of `a.txt` from one text to another. */
const change = (before: string | null, after: string): FileWrite =>
  fileWrite("a.txt", {
    before: before === null ? null : version(before),
    after: version(after),
    lines: lineChanges(before ?? "", after),
  });
/** Record that a task wrote these texts one after the other, and put the last one on disk. */
async function writeAll(first: string | null, ...texts: readonly string[]): Promise<void> {
  let before = first;
  for (const after of texts) {
    await task.write([change(before, after)]);
    before = after;
  }
  await writeFile(path.join(rig.root, "a.txt"), before ?? "");
}
const blame = (line: number, file = "a.txt") => blameLine(rig.root, file, line);

describe("blame", () => {
  test("finds the write of each line, back through later writes of the file", async () => {
    await writeAll("old\n", "old\none\ntwo\n", "new\nold\none\n2\n", "new\nold\none\n2\nlast\n");
    const found = await Promise.all([1, 2, 3, 4, 5].map(async (line) => (await blame(line)).found));
    expect(found.map((each) => (each.kind === "write" ? each.number : each.kind))).toEqual([
      2,
      "older",
      1,
      2,
      3,
    ]);
    expect(await blame(1)).toMatchObject({ path: "a.txt", isCurrent: true });
  });

  test("finds the line in which each of random edits put it", async () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { minLength: 1, maxLength: 5 }), async (versions) => {
        await using own = await openLedgerRig();
        const writer = own.open("t1");
        // Each line is unique: its origin is the first version of the end that has it for good.
        const texts = versions.map((names) => names.map((name, at) => `${name}${at}\n`).join(""));
        let before: string | null = null;
        for (const after of texts) {
          await writer.write([change(before, after)]);
          before = after;
        }
        const last = texts.at(-1) ?? "";
        await writeFile(path.join(own.root, "a.txt"), last);
        for (const [index, line] of last.trimEnd().split("\n").entries()) {
          const { found } = await blameLine(own.root, "a.txt", index + 1);
          const absent = texts.findLastIndex((text) => !text.split("\n").includes(line));
          expect(found).toMatchObject({ kind: "write", number: absent + 2 });
        }
      }),
      { numRuns: 25 },
    );
  });

  test("says that the file on disk is not what the ledger last recorded", async () => {
    await writeAll(null, "one\n");
    await writeFile(path.join(rig.root, "a.txt"), "edited\n");
    expect(await blame(1)).toMatchObject({ isCurrent: false, found: { kind: "write", number: 1 } });
    await rm(path.join(rig.root, "a.txt"));
    expect(await blame(1)).toMatchObject({ isCurrent: false });
  });

  test("stops where others changed the file between two writes", async () => {
    await task.write([change(null, "one\ntwo\n")]);
    await writeAll("others\ntwo\n", "others\ntwo\nthree\n");
    expect((await blame(1)).found).toEqual({ kind: "unknown", number: 2 });
    expect((await blame(3)).found).toMatchObject({ kind: "write", number: 2 });
  });

  test("names no write of a file that the ledger has not, and rejects a line that the file has not", async () => {
    await writeAll(null, "one\n");
    await writeFile(path.join(rig.root, "b.txt"), "b\n");
    expect((await blame(1, "b.txt")).found).toEqual({ kind: "none" });
    await expect(blame(2)).rejects.toMatchObject({ code: "LEDGER_LINE" });
  });

  test("follows a symlink to the file, and takes an absolute path", async () => {
    await writeAll(null, "one\n");
    await mkdir(path.join(rig.root, "sub"));
    await symlink("../a.txt", path.join(rig.root, "sub/link"));
    expect(await blame(1, "sub/link")).toMatchObject({ path: "a.txt", found: { kind: "write" } });
    expect(await blame(1, path.join(rig.root, "a.txt"))).toMatchObject({ found: { kind: "write" } });
  });
});
