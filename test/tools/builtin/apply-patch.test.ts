import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace } from "../../../tools/index.ts";
import { openToolCalls, type ToolCalls } from "../../support/tool-calls.ts";

let calls: ToolCalls;
beforeEach(async () => {
  calls = await openToolCalls();
});
afterEach(() => calls[Symbol.asyncDispose]());

const put = (name: string, text: string) => writeFile(path.join(calls.root, name), text);
const file = (name: string) => readFile(path.join(calls.root, name), "utf8");
const patchOf = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const apply = (...lines: readonly string[]) => calls.text("apply_patch", { patch: patchOf(...lines) });
const check = (...lines: readonly string[]) => calls.describe("apply_patch", { patch: patchOf(...lines) });
const names = async () => (await readdir(calls.root)).sort();

describe("apply_patch", () => {
  test("adds, changes, moves and deletes files, and says what it did to each", async () => {
    await put("a.txt", "one\ntwo\nthree\n");
    await put("b.txt", "b1\nb2\n");
    await put("c.txt", "c\n");
    const result = await apply(
      "*** Add File: new/d.txt",
      "+first",
      "+",
      "+last",
      "*** Update File: a.txt",
      "@@",
      " one",
      "-two",
      "+2",
      " three",
      "*** Update File: b.txt",
      "*** Move to: moved/b.txt",
      "@@ b1",
      "-b2",
      "+B2",
      "*** Delete File: c.txt",
    );
    expect(result.split("\n").map((line) => JSON.parse(line))).toMatchObject([
      { path: "new/d.txt", operation: "created" },
      { path: "a.txt", operation: "modified" },
      { path: "moved/b.txt", operation: "created" },
      { path: "b.txt", operation: "deleted" },
      { path: "c.txt", operation: "deleted" },
    ]);
    expect(await names()).toEqual(["a.txt", "moved", "new"]);
    expect(await file("new/d.txt")).toBe("first\n\nlast\n");
    expect(await file("a.txt")).toBe("one\n2\nthree\n");
    expect(await file("moved/b.txt")).toBe("b1\nB2\n");
  });

  test("keeps the mode of a file that is moved", async () => {
    await put("run.sh", "#!/bin/sh\n");
    await chmod(path.join(calls.root, "run.sh"), 0o755);
    await apply("*** Update File: run.sh", "*** Move to: bin/run");
    expect((await stat(path.join(calls.root, "bin/run"))).mode & 0o777).toBe(0o755);
    expect(await names()).toEqual(["bin"]);
  });

  test.each([
    ["several hunks in order", "a\nb\nc\nd\n", ["@@", "-a", "+A", "@@", " c", "-d", "+D"], "A\nb\nc\nD\n"],
    ["the first hunk without @@", "a\nb\n", ["-a", "+A", " b"], "A\nb\n"],
    ["the place after a section", "f:\n x\ng:\n x\n", ["@@ g:", "- x", "+ y"], "f:\n x\ng:\n y\n"],
    [
      "the place after two sections",
      "A\n f\n  x\nB\n f\n  x\n",
      ["@@ B", "@@  f", "-  x", "+  y"],
      "A\n f\n  x\nB\n f\n  y\n",
    ],
    ["a section that is also the first line", "f\nx\ng\nx\n", ["@@ g", " g", "-x", "+y"], "f\nx\ng\ny\n"],
    ["the head of a diff of git", "a\nb\n", ["@@ -1,2 +1,2 @@", "-a", "+A", " b"], "A\nb\n"],
    ["lines at the end of the file", "x\ny\nx\n", ["@@", "-x", "+z", "*** End of File"], "x\ny\nz\n"],
    ["added lines without context: at the end", "a\n", ["@@", "+b"], "a\nb\n"],
    ["added lines after a section", "a\nb\n", ["@@ a", "+1", "+2"], "a\n1\n2\nb\n"],
    ["an empty line for an empty line", "a\n\nb\n", ["@@", " a", "", "-b", "+c"], "a\n\nc\n"],
    ["CRLF", "a\r\nb\r\n", ["@@", " a", "-b", "+c", "+d"], "a\r\nc\r\nd\r\n"],
    ["a byte order mark", "\ufeffa\nb\n", ["@@", "-a", "+c"], "\ufeffc\nb\n"],
    ["no line break at the end", "a\nb", ["@@", " a", "-b", "+c"], "a\nc"],
    ["the white space of context lines", "a  \n\tb\nc\n", ["@@", " a", " \tb", "-c", "+d"], "a  \n\tb\nd\n"],
    [
      "the indentation of the file, where lines are only added",
      "if x:\n        y\n",
      ["@@", " if x:", "     y", "+    z"],
      "if x:\n        y\n        z\n",
    ],
    [
      "the indentation of the file",
      "if x:\n        y\n",
      ["@@", " if x:", "-    y", "+    z"],
      "if x:\n        z\n",
    ],
  ])("takes %s", async (_, before, hunks, after) => {
    await put("a.txt", before);
    await apply("*** Update File: a.txt", ...hunks);
    expect(await file("a.txt")).toBe(after);
  });

  test.each([
    [
      "no beginning",
      "*** Update File: a.txt\n*** End Patch",
      "Line 1 of the patch: expected *** Begin Patch",
    ],
    ["no end", "*** Begin Patch\n*** Delete File: a.txt", "Line 3 of the patch: expected *** Add File:"],
    ["no file", "*** Begin Patch\n*** End Patch", "The patch has no file"],
    [
      "text after it",
      "*** Begin Patch\n*** Delete File: a\n*** End Patch\nx",
      "expected the end of the patch",
    ],
    ["an unknown head", patchOf("*** Rename File: a.txt"), "Line 2 of the patch"],
    ["a new file with other lines", patchOf("*** Add File: b.txt", "+a", "b"), "a line that begins with +"],
    ["no hunk", patchOf("*** Update File: a.txt"), "expected a hunk of 'a.txt'"],
    ["an empty hunk", patchOf("*** Update File: a.txt", "@@ one"), "expected the lines of a hunk"],
    ["a line of no kind", patchOf("*** Update File: a.txt", "@@", "one"), "begins with a space, - or +"],
  ])("rejects a patch with %s, and says how it is written", async (_, patch, message) => {
    await expect(calls.describe("apply_patch", { patch })).rejects.toMatchObject({
      code: "DIFF_INVALID",
      message: expect.stringContaining(message),
    });
  });

  test("changes nothing if a hunk of one file fails, and shows the file, the hunk and the nearest lines", async () => {
    await put("a.txt", "one\n");
    await put("b.txt", "first = 1\nsecond = 2\n");
    const lines = [
      ...["*** Update File: a.txt", "@@", "-one", "+1"],
      ...["*** Update File: b.txt", "@@", "-first = 1", "+1", "@@", "-second = 3", "+3"],
    ];
    await expect(check(...lines)).rejects.toMatchObject({
      code: "NO_MATCH",
      message: expect.stringMatching(
        /^Hunk 2 of 'b\.txt' doesn't match, and nothing was changed: .*\nThe nearest text there is:\n1 \| first = 1\n2 \| second = 2/,
      ),
    });
    await expect(apply(...lines)).rejects.toMatchObject({ code: "CHANGED" });
    expect(await file("a.txt")).toBe("one\n");
  });

  test.each([
    ["at several places", ["@@", "-x", "+z"], "its lines are at several places (lines 1, 3)"],
    ["above the hunk before", ["@@", "-y", "+Y", "@@ ", "-w", "+W"], "its lines are not in the file"],
    ["out of order", ["@@", "-z", "+Z", "@@", "-y", "+Y"], "Send the hunks in the order of the file"],
    [
      "after a section that is missing",
      ["@@ nothing", "-y", "+Y"],
      "the line 'nothing' after @@ is not in the file",
    ],
    ["not at the end", ["@@", "-y", "+Y", "*** End of File"], "its lines are not at the end of the file"],
  ])("rejects a hunk that is %s", async (_, hunks, message) => {
    await put("a.txt", "x\ny\nx\nz\n");
    await expect(check("*** Update File: a.txt", ...hunks)).rejects.toThrow(message);
  });

  test("checks all files before it writes the first", async () => {
    await put("a.txt", "a\n");
    await put("b.txt", "b\n");
    await put(".rooignore", "secret\n");
    await mkdir(path.join(calls.root, "folder"));
    await symlink("a.txt", path.join(calls.root, "link"));
    await symlink("nowhere", path.join(calls.root, "dangling"));
    const first = ["*** Add File: new.txt", "+new"];
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["EXISTS", ["*** Add File: a.txt", "+x"]],
      ["EXISTS", ["*** Update File: a.txt", "*** Move to: b.txt"]],
      ["CHANGED", ["*** Update File: gone.txt", "@@", "-x", "+y"]],
      ["CHANGED", ["*** Delete File: gone.txt"]],
      ["NOT_A_FILE", ["*** Delete File: folder"]],
      ["NOT_A_FILE", ["*** Delete File: link"]],
      ["NOT_A_FILE", ["*** Add File: dangling", "+x"]],
      ["NOT_A_FOLDER", ["*** Add File: a.txt/b", "+x"]],
      ["IGNORED", ["*** Add File: secret", "+x"]],
      ["IGNORED", ["*** Update File: .rooignore", "@@", "-secret"]],
      ["IGNORED", ["*** Delete File: .rooignore"]],
      ["OUTSIDE_WORKSPACE", ["*** Add File: ../x.txt", "+x"]],
      ["OUTSIDE_WORKSPACE", ["*** Delete File: /etc/hostname"]],
      ["OUTSIDE_WORKSPACE", ["*** Update File: a.txt", "*** Move to: /tmp/x.txt"]],
      ["DIFF_INVALID", ["*** Update File: a.txt", "@@", "-a", "+b", "*** Delete File: ./a.txt"]],
      [
        "DIFF_INVALID",
        ["*** Update File: a.txt", "@@", "-a", "+b", "*** Update File: link", "@@", "-a", "+c"],
      ],
    ];
    for (const [code, lines] of cases) {
      const what = lines.join(" ");
      const expected = code === "EXISTS" ? "CHANGED" : code;
      await expect(apply(...first, ...lines), what).rejects.toMatchObject({ code: expected });
    }
    expect(await names()).toEqual([".rooignore", "a.txt", "b.txt", "dangling", "folder", "link"]);
    expect([await file("a.txt"), await file("b.txt"), await file(".rooignore")]).toEqual([
      "a\n",
      "b\n",
      "secret\n",
    ]);
    await lstat(path.join(calls.root, "link"));
  });

  test("names every path for the policy, both of a move, and is described by the diff of each file", async () => {
    await put("a.txt", "a\n");
    await put("b.txt", "b\n");
    const lines = [
      "*** Update File: a.txt",
      "*** Move to: c.txt",
      "@@",
      "-a",
      "+A",
      "*** Delete File: b.txt",
    ];
    const description = await check(...lines);
    expect(description.paths.map((each) => each.path)).toEqual(["a.txt", "c.txt", "b.txt"]);
    expect(JSON.parse(description.text)).toMatchObject({
      tool: "appliedDiff",
      path: "a.txt",
      isOutsideWorkspace: false,
      diffStats: { added: 1, removed: 2 },
      batchDiffs: [
        { path: "a.txt", key: "--- a.txt, moved to c.txt", content: "@@ -1,1 +1,1 @@\n-a\n+A" },
        { path: "b.txt", key: "--- deleted file b.txt", content: "@@ -1,1 +0,0 @@\n-b" },
      ],
    });
    const outside = await check("*** Update File: a.txt", "*** Move to: ../c.txt");
    expect(outside.paths.map(({ inside }) => inside)).toEqual([true, false]);
    expect(outside.text).toContain('"isOutsideWorkspace":true');
  });

  test("deletes a binary file", async () => {
    await writeFile(path.join(calls.root, "a.bin"), Buffer.from([1, 0, 2]));
    await apply("*** Delete File: a.bin");
    expect(await names()).toEqual([]);
  });

  test("says what was done, and what was not, if a write fails after the first", async () => {
    await put("a.txt", "a\n");
    await put("b.txt", "b\n");
    const { workspace } = calls;
    const patch = patchOf(
      ...["*** Update File: a.txt", "@@", "-a", "+A", "*** Update File: b.txt", "@@", "-b", "+B"],
      "*** Add File: c.txt",
    );
    // Somebody else writes the second file after it was checked.
    const write: Workspace["write"] = async (name, ...more) => {
      if (name === "b.txt") await put("b.txt", "theirs\n");
      return workspace.write(name, ...more);
    };
    const ports = { signal: new AbortController().signal, output: () => {}, progress: () => {} };
    const shell = { program: "/bin/sh", run: () => Promise.reject(new Error("no shell")) };
    const call = calls.prepare("apply_patch", { patch });
    await expect(call.execute({ ...ports, shell, workspace: { ...workspace, write } })).rejects.toMatchObject(
      {
        code: "CHANGED",
        message: expect.stringMatching(
          /^The patch was applied only in part\. Done: write 'a\.txt'\. Not done: write 'b\.txt', write 'c\.txt'\. 'b\.txt' has changed since this call was sent/,
        ),
      },
    );
    expect(await file("b.txt")).toBe("theirs\n");
    expect(await names()).toEqual(["a.txt", "b.txt"]);
  });

  test("L14: limits the files and the size of a patch, and the work of one", async () => {
    const many = Array.from({ length: 101 }, (_, at) => `*** Delete File: f${at}`);
    await expect(check(...many)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(() => calls.prepare("apply_patch", { patch: "x".repeat(2_000_001) })).toThrow(
      "expected at most 2000000 characters, received 2000001",
    );
    await put("a.txt", "a\n".repeat(500_000));
    const hunks = Array.from({ length: 100 }, () => ["@@", "-b", "+c"]).flat();
    await expect(check("*** Update File: a.txt", ...hunks)).rejects.toMatchObject({ code: "TOO_LARGE" });
    const repeated = Array.from({ length: 100_000 }, () => "-a");
    const patch = patchOf("*** Update File: a.txt", "@@", repeated.join("\n"), "-b");
    await expect(calls.describe("apply_patch", { patch })).rejects.toMatchObject({
      code: "NO_MATCH",
    });
    await put("a.txt", "\n".repeat(2_000_000));
    await expect(check("*** Update File: a.txt", "@@", "-b")).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  test("shows the first path while its arguments stream", () => {
    const [patch] = ["*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a"];
    expect(calls.tool("apply_patch").partial({ patch })).toContain('"path":"src/a.ts"');
    expect(calls.tool("apply_patch").partial({ patch: "*** Beg" })).toBeUndefined();
  });
});
