import { createHash } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemShell } from "../../adapters/shell/shell.ts";
import type { FileWrite, GitHead } from "../../machines/tool-call/file-write.ts";
import type { ChangedFile } from "../../tools/changed-file.ts";
import { lineChanges } from "../../tools/diff/line-changes.ts";
import type { Shell, Workspace } from "../../tools/index.ts";
import { recordWrites } from "../../tools/recorded-writes.ts";
import { ConcurrentWrites, type WriteRecording } from "../../tools/write-recording.ts";
import { deferred } from "../support/model.ts";
import { test as property } from "../support/prop.ts";
import { openToolCalls, type ToolCalls } from "../support/tool-calls.ts";

let calls: ToolCalls;
let isOn: boolean;
const GIT: GitHead = { revision: "r", branch: "main" };
beforeEach(async () => {
  calls = await openToolCalls();
  isOn = true;
});
afterEach(() => calls[Symbol.asyncDispose]());

const put = (name: string, content: string | Uint8Array) => writeFile(path.join(calls.root, name), content);
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

const concurrent = new ConcurrentWrites();
const recording: WriteRecording = { isOn: async () => isOn, gitHead: async () => GIT, concurrent };

/** What a call of a tool writes. */
async function writesOf(
  name: string,
  input: Readonly<Record<string, unknown>>,
  original: Workspace = calls.workspace,
): Promise<readonly FileWrite[]> {
  const ports = { workspace: original, shell: systemShell() };
  const { workspace, shell, writes } = recordWrites(ports, recording);
  await calls
    .prepare(name, input)
    .execute({
      workspace,
      shell,
      signal: new AbortController().signal,
      output: () => {},
      progress: () => {},
    })
    .catch(() => undefined);
  return writes;
}

describe("the recorded writes of a call", () => {
  test.each([
    ["write_to_file", { path: "a.txt", content: "one\n2\nthree\n" }],
    ["edit_file", { path: "a.txt", old_string: "two", new_string: "2" }],
    ["apply_diff", { path: "a.txt", diff: "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE" }],
    [
      "apply_patch",
      { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** End Patch" },
    ],
  ])("have the file, its hashes and its lines before and after, of %s", async (name, input) => {
    await put("a.txt", "one\ntwo\nthree\n");
    expect(await writesOf(name, input)).toEqual([
      {
        path: "a.txt",
        before: sha("one\ntwo\nthree\n"),
        after: sha("one\n2\nthree\n"),
        lines: [{ before: { start: 2, count: 1 }, after: { start: 2, count: 1 } }],
        git: GIT,
      },
    ]);
  });

  test("have each file of a patch: created, moved and deleted", async () => {
    await put("b.txt", "b\n");
    await put("c.txt", "c\n");
    const patch =
      "*** Begin Patch\n*** Add File: x/d.txt\n+d\n*** Update File: b.txt\n*** Move to: m.txt\n@@\n-b\n+B\n*** Delete File: c.txt\n*** End Patch";
    expect(await writesOf("apply_patch", { patch })).toMatchObject([
      { path: "x/d.txt", before: null, after: sha("d\n") },
      { path: "m.txt", before: null, after: sha("B\n") },
      { path: "b.txt", before: sha("b\n"), after: null },
      { path: "c.txt", before: sha("c\n"), after: null },
    ]);
  });

  test("have what a patch changed before it failed, and nothing of a call that changed nothing", async () => {
    await put("a.txt", "a\n");
    const failing: Workspace = {
      ...calls.workspace,
      write: async (name, ...more) => {
        if (name === "b.txt") throw new Error("the disk is full");
        return calls.workspace.write(name, ...more);
      },
    };
    const patch = "*** Begin Patch\n*** Add File: n.txt\n+n\n*** Add File: b.txt\n+b\n*** End Patch";
    expect((await writesOf("apply_patch", { patch }, failing)).map((write) => write.path)).toEqual(["n.txt"]);
    expect(await writesOf("edit_file", { path: "a.txt", old_string: "x", new_string: "y" })).toEqual([]);
    expect(await writesOf("write_to_file", { path: "../out.txt", content: "" })).toEqual([]);
    expect(await writesOf("read_file", { path: "a.txt" })).toEqual([]);
  });

  test("have the real path of a file behind a symlink", async () => {
    await mkdir(path.join(calls.root, "real"));
    await symlink("real", path.join(calls.root, "link"));
    expect(await writesOf("write_to_file", { path: "link/a.txt", content: "a" })).toMatchObject([
      { path: "real/a.txt" },
    ]);
  });

  test("have no lines of a file that is not text", async () => {
    await put("a.bin", Buffer.from([0xff, 0, 1]));
    const [write] = await writesOf("write_to_file", { path: "a.bin", content: "text" });
    expect(write).not.toHaveProperty("lines");
    expect(write?.after).toBe(sha("text"));
  });

  test("have the content that the editor saved in place of the sent one", async () => {
    const formatting: Workspace = {
      ...calls.workspace,
      write: async (name) => {
        await put(name, "formatted\n");
        return { created: true, changed: true };
      },
    };
    expect(await writesOf("write_to_file", { path: "a.ts", content: "x" }, formatting)).toMatchObject([
      { after: sha("formatted\n") },
    ]);
  });

  test("are none, and no file is read for them, while the workspace has no ledger", async () => {
    isOn = false;
    let reads = 0;
    const counting: Workspace = {
      ...calls.workspace,
      read: (...args) => {
        reads += 1;
        return calls.workspace.read(...args);
      },
    };
    expect(await writesOf("write_to_file", { path: "a.txt", content: "a" }, counting)).toEqual([]);
    // The tool itself reads what form the file has.
    expect(reads).toBe(1);
  });
});

/** A shell whose command ends when `end` is called, in a workspace where it has changed these files by then. */
function shellOf(files: () => readonly ChangedFile[]) {
  const [started, ended] = [deferred(), deferred()];
  const shell: Shell = {
    program: "/bin/sh",
    run: async () => {
      started.resolve();
      await ended.promise;
      return { output: "", exitCode: 0, timedOut: false };
    },
  };
  const keepState = async () => async (each: (file: ChangedFile) => void) => files().forEach(each);
  const recorded = recordWrites({ workspace: calls.workspace, shell }, { ...recording, keepState });
  const { signal } = new AbortController();
  const run = recorded.shell.run({ command: "x", cwd: "/", timeoutMs: 1, signal, output: () => {} });
  return {
    started: started.promise,
    writes: recorded.writes,
    end: async () => {
      ended.resolve();
      await run;
    },
  };
}

const bytes = (content: string) => Buffer.from(content);

describe("the recorded changes of a command", () => {
  test("have each file with its lines, and nothing while the workspace has no ledger", async () => {
    const files = [{ path: "a.txt", before: bytes("a\nb\n"), after: bytes("a\nc\n") }];
    const on = shellOf(() => files);
    await on.end();
    expect(on.writes).toEqual([
      {
        path: "a.txt",
        before: sha("a\nb\n"),
        after: sha("a\nc\n"),
        lines: [{ before: { start: 2, count: 1 }, after: { start: 2, count: 1 } }],
        git: GIT,
      },
    ]);
    isOn = false;
    const off = shellOf(() => files);
    await off.end();
    expect(off.writes).toEqual([]);
  });

  test("exclude what another call recorded in the meantime, and follow it in the same file", async () => {
    const command = shellOf(() => [
      { path: "a.txt", before: null, after: bytes("a") },
      { path: "b.txt", before: null, after: bytes("b+") },
      { path: "c.txt", before: null, after: bytes("c") },
    ]);
    await command.started;
    await writesOf("write_to_file", { path: "a.txt", content: "a" });
    await writesOf("write_to_file", { path: "b.txt", content: "b" });
    await command.end();
    expect(command.writes).toEqual([
      { path: "b.txt", before: sha("b"), after: sha("b+"), git: GIT },
      expect.objectContaining({ path: "c.txt", before: null, after: sha("c") }),
    ]);
  });

  test("belong to the one that ends first if two run at the same time; the other has the rest", async () => {
    const long = shellOf(() => [{ path: "a.txt", before: null, after: bytes("2") }]);
    await long.started;
    const short = shellOf(() => [{ path: "a.txt", before: null, after: bytes("1") }]);
    await short.end();
    await long.end();
    expect([...short.writes, ...long.writes]).toMatchObject([
      { before: null, after: sha("1") },
      { before: sha("1"), after: sha("2") },
    ]);
  });

  test("have only the hashes of files beyond the first 500", async () => {
    const command = shellOf(() =>
      Array.from({ length: 501 }, (_, index) => ({ path: `${index}`, before: null, after: bytes("x") })),
    );
    await command.end();
    expect(command.writes.filter(({ lines }) => lines !== undefined)).toHaveLength(500);
    expect(command.writes.at(-1)).toEqual({ path: "500", before: null, after: sha("x"), git: GIT });
  });
});

const text = fc
  .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), lines.map((line) => `${line}\n`).join("")));
const linesOf = (from: string): readonly string[] => from.match(/[^\n]*\n|[^\n]+$/g) ?? [];

describe("the changes of lines", () => {
  property.prop([text, text], { numRuns: 2_000 })("give the new text from the old one", (before, after) => {
    const [old, now] = [linesOf(before), linesOf(after)];
    const built: string[] = [];
    let at = 0;
    for (const change of lineChanges(before, after)) {
      built.push(...old.slice(at, change.before.start - 1));
      // Where each is counted: the same number of lines is before it in the new text.
      expect(change.after.start).toBe(built.length + 1);
      built.push(...now.slice(change.after.start - 1, change.after.start - 1 + change.after.count));
      at = change.before.start - 1 + change.before.count;
    }
    expect([...built, ...old.slice(at)]).toEqual(now);
  });

  test("of a change that is too large are one range, without the lines that are the same at both ends", () => {
    const many = (prefix: string) =>
      ["same", ...Array.from({ length: 3_000 }, (_, index) => `${prefix}${index}`), "end", ""].join("\n");
    expect(lineChanges(many("a"), many("b"))).toEqual([
      { before: { start: 2, count: 3_000 }, after: { start: 2, count: 3_000 } },
    ]);
  });
});
