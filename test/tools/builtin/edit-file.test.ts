import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openToolCalls, type ToolCalls } from "../../support/tool-calls.ts";

let calls: ToolCalls;
beforeEach(async () => {
  calls = await openToolCalls();
});
afterEach(() => calls[Symbol.asyncDispose]());

const put = (name: string, text: string) => writeFile(path.join(calls.root, name), text);
const file = (name: string) => readFile(path.join(calls.root, name), "utf8");
const edit = (input: Readonly<Record<string, unknown>>) =>
  calls.run("edit_file", { path: "a.txt", ...input });
const replace = (old_string: string, new_string: string, more = {}) =>
  edit({ old_string, new_string, ...more });

describe("edit_file", () => {
  test("replaces a text that is at one place, and leaves everything else as it is", async () => {
    await put("a.txt", "one\ntwo\nthree");
    expect(await calls.text("edit_file", { path: "a.txt", old_string: "two", new_string: "2\n2" })).toBe(
      '{"path":"a.txt","operation":"modified","notice":"The file has exactly the content that was sent: there is no need to read it again."}',
    );
    expect(await file("a.txt")).toBe("one\n2\n2\nthree");
  });

  test.each(["edit", "search_and_replace", "search_replace"])(
    "is also called %s, with file_path",
    async (name) => {
      await put("a.txt", "one");
      await calls.run(name, { file_path: "a.txt", old_string: "one", new_string: "two" });
      expect(await file("a.txt")).toBe("two");
      expect(() =>
        calls.prepare(name, { path: "a.txt", file_path: "b.txt", old_string: "two", new_string: "x" }),
      ).toThrow("unknown argument 'file_path'");
      expect(() => calls.prepare(name, { old_string: "two", new_string: "x" })).toThrow(
        "'path': expected a string, received nothing",
      );
    },
  );

  test.each([
    ["CRLF", "one\r\ntwo\r\nthree\r\n", "two\nthree", "2\n3", "one\r\n2\r\n3\r\n"],
    ["CRLF in the call", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"],
    ["a mixture of line breaks around the place", "a\r\nb\nc\r\nd", "c\n", "C\n", "a\r\nb\nC\r\nd"],
    ["a byte order mark", "\ufeffone\r\n", "\ufeffone", "two", "\ufefftwo\r\n"],
    ["no line break at the end", "one\ntwo", "two", "three", "one\nthree"],
    ["several line breaks at the end", "one\n\n\n", "one\n", "two\n", "two\n\n\n"],
    ["the signs that replacements have elsewhere", "a$1", "a$1", "$&$$1", "$&$$1"],
  ])("keeps %s", async (_, before, old_string, new_string, after) => {
    await put("a.txt", before);
    await replace(old_string, new_string);
    expect(await file("a.txt")).toBe(after);
  });

  test("replaces at every place with replace_all, and at as many as are expected", async () => {
    await put("a.txt", "x x\r\nx");
    await replace("x", "yy", { replace_all: true });
    expect(await file("a.txt")).toBe("yy yy\r\nyy");
    await replace("yy", "z", { expected_replacements: 3, replace_all: null });
    expect(await file("a.txt")).toBe("z z\r\nz");
  });

  test("names the lines of several places, and what to do", async () => {
    await put("a.txt", "x\ny\nx\n");
    await expect(
      calls.describe("edit_file", { path: "a.txt", old_string: "x", new_string: "z" }),
    ).rejects.toThrow(
      "The text of old_string is 2 times in 'a.txt' (line 1, 3), and 1 was expected, so nothing was changed. Add lines around it, so that it is only at the place you mean, or set replace_all or expected_replacements.",
    );
    await expect(
      calls.describe("edit_file", {
        path: "a.txt",
        old_string: "y",
        new_string: "z",
        expected_replacements: 2,
      }),
    ).rejects.toThrow("is once in 'a.txt' (line 2), and 2 were expected");
    // Of "aaa" it would not be clear which "aa" is meant.
    await put("a.txt", "aaa");
    await expect(replace("aa", "b")).rejects.toThrow("2 times in 'a.txt' (line 1, 1)");
  });

  test("shows the nearest lines of a text that is not in the file", async () => {
    await put("a.txt", "one\n  two = 2;\nthree\n");
    const call = { path: "a.txt", old_string: "\ttwo = 2;", new_string: "x" };
    await expect(calls.describe("edit_file", call)).rejects.toMatchObject({
      code: "NO_MATCH",
      message: expect.stringContaining("The nearest text there is:\n1 | one\n2 |   two = 2;\n3 | three"),
    });
    await expect(
      calls.describe("edit_file", { ...call, old_string: "two", new_string: "two" }),
    ).rejects.toThrow("changes nothing: old_string and new_string are equal");
  });

  test("creates a file with an empty old_string, but replaces no file that has content", async () => {
    await edit({ path: "new/a.txt", old_string: "", new_string: "one\n" });
    expect(await file("new/a.txt")).toBe("one\n");
    await put("empty.txt", "");
    await edit({ path: "empty.txt", old_string: "", new_string: "two" });
    expect(await file("empty.txt")).toBe("two");
    await expect(
      calls.describe("edit_file", { path: "empty.txt", old_string: "", new_string: "x" }),
    ).rejects.toMatchObject({ code: "EXISTS", message: expect.stringContaining("exists and is not empty") });
    expect(await file("empty.txt")).toBe("two");
  });

  test("is described with the diff, and a new file with its content", async () => {
    await put("a.txt", "one\ntwo\n");
    expect(
      await calls.descriptor("edit_file", { path: "a.txt", old_string: "two", new_string: "2" }),
    ).toEqual({
      tool: "appliedDiff",
      path: "a.txt",
      isOutsideWorkspace: false,
      diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2",
      content: "@@ -1,2 +1,2 @@\n one\n-two\n+2",
      diffStats: { added: 1, removed: 1 },
    });
    expect(await calls.descriptor("edit_file", { path: "b.txt", old_string: "", new_string: "2" })).toEqual({
      tool: "newFileCreated",
      path: "b.txt",
      isOutsideWorkspace: false,
      content: "2",
      diffStats: { added: 1, removed: 0 },
    });
  });

  test("applies to what the file has when it runs, and says when that has changed so that it does not fit", async () => {
    await put("a.txt", "one\ntwo\n");
    const call = calls.prepare("edit_file", { path: "a.txt", old_string: "two", new_string: "2" });
    await call.describe(calls);
    await put("a.txt", "one, changed\ntwo\n");
    await replace("two", "2");
    expect(await file("a.txt")).toBe("one, changed\n2\n");
    await expect(replace("two", "2")).rejects.toMatchObject({
      code: "CHANGED",
      message: expect.stringMatching(
        /^'a\.txt' has changed since this call was sent, .* left as it is\. The text of old_string is not in 'a\.txt'/,
      ),
    });
    await expect(edit({ path: "gone.txt", old_string: "a", new_string: "b" })).rejects.toMatchObject({
      code: "CHANGED",
    });
  });

  test("does not overwrite what somebody else writes between its read and its write", async () => {
    await put("a.txt", "one");
    const { workspace } = calls;
    const read = async (name: string) => {
      const bytes = await workspace.read(name);
      await put("a.txt", "theirs");
      return bytes;
    };
    const call = calls.prepare("edit_file", { path: "a.txt", old_string: "one", new_string: "mine" });
    const ports = { signal: new AbortController().signal, output: () => {}, progress: () => {} };
    const shell = { program: "/bin/sh", run: () => Promise.reject(new Error("no shell")) };
    await expect(call.execute({ ...ports, shell, workspace: { ...workspace, read } })).rejects.toMatchObject({
      code: "CHANGED",
    });
    expect(await file("a.txt")).toBe("theirs");
  });

  test("L9: never reads or writes outside of the workspace, or what .rooignore denies", async () => {
    await put(".rooignore", "secret.txt\n");
    await put("secret.txt", "hidden");
    await mkdir(path.join(calls.root, "folder"));
    await symlink("/etc", path.join(calls.root, "folder", "etc"));
    for (const named of ["/etc/hostname", "../x.txt", "folder/etc/hostname"]) {
      const call = { path: named, old_string: "a", new_string: "b" };
      expect((await calls.describe("edit_file", call)).paths[0]?.inside, named).toBe(false);
      await expect(edit(call), named).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
    }
    const call = { path: "secret.txt", old_string: "hidden", new_string: "b" };
    expect(await calls.describe("edit_file", call)).toMatchObject({ paths: [{ ignored: true }] });
    expect((await calls.describe("edit_file", call)).text).not.toContain("hidden");
    await expect(edit(call)).rejects.toMatchObject({ code: "IGNORED" });
    await expect(edit({ path: ".rooignore", old_string: "secret", new_string: "x" })).rejects.toMatchObject({
      code: "IGNORED",
    });
    expect(await file(".rooignore")).toBe("secret.txt\n");
  });

  test("rejects a binary file and a folder", async () => {
    await writeFile(path.join(calls.root, "a.bin"), Buffer.from([1, 0, 2]));
    await expect(edit({ path: "a.bin", old_string: "a", new_string: "b" })).rejects.toMatchObject({
      code: "BINARY",
    });
    await expect(edit({ path: ".", old_string: "a", new_string: "b" })).rejects.toMatchObject({
      code: "NOT_A_FILE",
    });
  });

  test("finds each place of a text that repeats itself, also where it is a million characters long", async () => {
    await put("a.txt", "a".repeat(3_000_000));
    await expect(replace(`b${"a".repeat(1_000_000)}`, "c")).rejects.toThrow("is not in 'a.txt'");
    await expect(replace(`${"a".repeat(1_000_000)}b`, "c")).rejects.toThrow("is not in 'a.txt'");
    await expect(replace("a".repeat(1_000_000), "c")).rejects.toThrow("2000001 times");
  });
});
