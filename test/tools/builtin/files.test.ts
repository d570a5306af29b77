import { mkdtemp, readFile as readBack, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { builtinTools, type Description, type ToolResult, type Workspace } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { pngOf } from "../../support/png.ts";

const registry = createRegistry(builtinTools());
let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "tools-")));
  workspace = await openWorkspace(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

function prepared(name: string, input: Record<string, unknown>) {
  const preparation = registry.find(name)?.prepare(input);
  if (preparation?.ok !== true) throw new Error(preparation?.error ?? "no such tool");
  return preparation.call;
}
const describeCall = (name: string, input: Record<string, unknown>): Promise<Description> =>
  prepared(name, input).describe({ workspace });
const descriptor = async (name: string, input: Record<string, unknown>): Promise<unknown> =>
  JSON.parse((await describeCall(name, input)).text);
const result = (
  name: string,
  input: Record<string, unknown>,
  signal = new AbortController().signal,
): Promise<ToolResult> =>
  prepared(name, input).execute({
    workspace,
    shell: systemShell(),
    signal,
    output: () => {},
    progress: () => {},
  });
async function text(name: string, input: Record<string, unknown>): Promise<string> {
  const [block] = (await result(name, input)).content;
  return block?.type === "text" ? block.text : "";
}
const put = (name: string, content: string | Uint8Array) => writeFile(path.join(root, name), content);
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

describe("read_file", () => {
  test("returns numbered lines, their range and the number of lines", async () => {
    await put("a.txt", "one\r\ntwo\nthree");
    expect(await text("read_file", { path: "a.txt" })).toBe(
      "File: a.txt (lines 1-3 of 3)\n1 | one\n2 | two\n3 | three",
    );
    expect(await text("read_file", { path: "a.txt", offset: 2, limit: 1 })).toBe(
      "File: a.txt (lines 2-2 of 3)\n2 | two\n[... lines 3-3 not shown: use offset ...]",
    );
    await expect(result("read_file", { path: "a.txt", offset: 4 })).rejects.toThrow("'a.txt' has 3 lines");
  });

  test("accepts null for optional arguments, and marks an empty file", async () => {
    await put("empty", "");
    expect(await text("read_file", { path: "empty", offset: null, limit: null })).toBe("File: empty (empty)");
  });

  test("L14: limits the number of lines, their length and the total size, with a mark", async () => {
    await put("long", lines(1, 3000));
    expect(await text("read_file", { path: "long" })).toContain(
      "2000 | line 2000\n[... lines 2001-3000 not shown",
    );
    await put("wide", `${"x".repeat(5000)}\nend`);
    expect(await text("read_file", { path: "wide" })).toMatch(/x\[\.\.\. 3000 bytes cut\]\n2 \| end$/);
    await put("big", `${"x".repeat(1990)}\n`.repeat(200));
    expect(Buffer.byteLength(await text("read_file", { path: "big" }))).toBeLessThan(151_000);
  });

  test("detects an image by its bytes, and rejects other binary files", async () => {
    const png = pngOf(1, 1);
    await put("a.txt", png);
    expect((await result("read_file", { path: "a.txt" })).content[1]).toEqual({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: png.toString("base64") },
    });
    await put("a.png", Buffer.from([1, 0, 2]));
    await expect(result("read_file", { path: "a.png" })).rejects.toMatchObject({ code: "BINARY" });
    await put("latin1", Buffer.from([0x61, 0xe4, 0x62]));
    await expect(result("read_file", { path: "latin1" })).rejects.toMatchObject({ code: "BINARY" });
  });

  test("is described with the path, the real path and the lines", async () => {
    await put("a.txt", "one");
    expect(await descriptor("read_file", { path: "a.txt", offset: 3, limit: 2 })).toEqual({
      tool: "readFile",
      path: "a.txt",
      isOutsideWorkspace: false,
      content: `${root}/a.txt`,
      reason: "lines 3-4",
      startLine: 3,
    });
    expect(await descriptor("read_file", { path: "/etc/passwd" })).toMatchObject({
      isOutsideWorkspace: true,
    });
  });
});

describe("list_files and search_files", () => {
  test("list names, and mark a cut listing", async () => {
    expect(await text("list_files", { path: "." })).toMatch(/empty/);
    await workspace.write("src/a.ts", "x");
    expect(await text("list_files", { path: ".", recursive: true })).toBe("src/\nsrc/a.ts");
    for (let file = 0; file < 205; file += 1) await put(`f${file}`, "");
    expect(await text("list_files", { path: "." })).toMatch(/\n\[\.\.\. only the first 200 names/);
    expect(await descriptor("list_files", { path: "src", recursive: true })).toMatchObject({
      tool: "listFilesRecursive",
      path: "src",
    });
    expect(await descriptor("list_files", { path: "src" })).toMatchObject({ tool: "listFilesTopLevel" });
  });

  test("search returns matches by file with line numbers", async () => {
    await put("a.txt", "one\ntwo\nthree\nfour\nfive\ntwo\n");
    await put("b.txt", "two");
    expect(await text("search_files", { path: ".", regex: "tw[o]", file_pattern: null })).toBe(
      "3 matching lines.\n\n# a.txt\n1 | one\n2 > two\n3 | three\n--\n5 | five\n6 > two\n\n# b.txt\n1 > two",
    );
    expect(await text("search_files", { path: ".", regex: "nothing" })).toBe("Nothing matches.");
    expect(await descriptor("search_files", { path: ".", regex: "x", file_pattern: "*.ts" })).toEqual({
      tool: "searchFiles",
      path: ".",
      regex: "x",
      filePattern: "*.ts",
      isOutsideWorkspace: false,
      content: root,
    });
  });
});

describe("write_to_file", () => {
  test("is described with the content of a new file, and the diff of an existing one", async () => {
    expect(await descriptor("write_to_file", { path: "new.txt", content: "a\nb\n" })).toEqual({
      tool: "newFileCreated",
      path: "new.txt",
      isOutsideWorkspace: false,
      content: "a\nb\n",
      diffStats: { added: 2, removed: 0 },
    });
    await put("old.txt", "a\nb\nc\n");
    expect(await descriptor("write_to_file", { path: "old.txt", content: "a\nB\nc\n" })).toEqual({
      tool: "editedExistingFile",
      path: "old.txt",
      isOutsideWorkspace: false,
      content: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c",
      diffStats: { added: 1, removed: 1 },
    });
  });

  test("writes when it runs, not when it is described", async () => {
    await describeCall("write_to_file", { path: "x/new.txt", content: "a" });
    expect((await workspace.list(".", { recursive: true, limit: 9 })).names).toEqual([]);
    expect(JSON.parse(await text("write_to_file", { path: "x/new.txt", content: "a" }))).toMatchObject({
      path: "x/new.txt",
      operation: "created",
    });
    expect(JSON.parse(await text("write_to_file", { path: "x/new.txt", content: "b" }))).toMatchObject({
      operation: "modified",
    });
    expect(await readBack(path.join(root, "x/new.txt"), "utf8")).toBe("b");
  });

  test("L9: never reads a path outside", async () => {
    expect(await descriptor("write_to_file", { path: "/etc/passwd", content: "x" })).toMatchObject({
      tool: "editedExistingFile",
      isOutsideWorkspace: true,
      content: "x",
    });
    await expect(result("write_to_file", { path: "../x", content: "x" })).rejects.toMatchObject({
      code: "OUTSIDE_WORKSPACE",
    });
  });

  test("L14: has a bounded description, with a mark", async () => {
    const { text: shown } = await describeCall("write_to_file", {
      path: "huge",
      content: '"\n'.repeat(500_000),
    });
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(128 * 1024);
    expect(JSON.parse(shown)).toMatchObject({
      content: expect.stringMatching(/bytes cut\]$/),
      diffStats: { added: 500_000, removed: 0 },
    });
    await put("huge", `${lines(1, 6000)}\n`);
    expect(
      await descriptor("write_to_file", { path: "huge", content: `${lines(7001, 13_000)}\n` }),
    ).toMatchObject({
      diffStats: { added: 6000, removed: 6000 },
    });
  });
});

describe("execute_command", () => {
  test("is described by the command itself, which the policy gets", async () => {
    expect(
      await describeCall("execute_command", { command: " ls -l ", cwd: null, timeout: null }),
    ).toMatchObject({ text: "ls -l", command: "ls -l" });
    await expect(describeCall("execute_command", { command: "ls", cwd: "/" })).rejects.toMatchObject({
      code: "OUTSIDE_WORKSPACE",
    });
  });

  test("returns the working directory, exit code and output", async () => {
    await workspace.write("sub/x", "");
    const ended = await result("execute_command", { command: "pwd; exit 3", cwd: "sub" });
    const output = `Command executed in terminal within working directory '${root}/sub'. Exit code: 3\nOutput:\n${root}/sub\n`;
    expect(ended.content).toEqual([
      { type: "text", text: `The command failed: find out why before you continue.\n${output}` },
    ]);
    expect(ended.command).toEqual({ output: `${root}/sub\n`, exitCode: 3 });
    expect(await text("execute_command", { command: "echo a" })).toBe(
      `Command executed in terminal within working directory '${root}'. Exit code: 0\nOutput:\na\n`,
    );
    await expect(result("execute_command", { command: "ls", cwd: "none" })).rejects.toThrow(
      `Working directory '${root}/none' does not exist.`,
    );
  });

  test("reports a stop and a timeout", async () => {
    const stopped = await result("execute_command", { command: "touch x" }, AbortSignal.abort());
    expect(JSON.stringify(stopped.content)).toContain(
      "Process terminated by signal SIGTERM, because the command was stopped",
    );
    expect(await text("execute_command", { command: "sleep 1000", timeout: 0.2 })).toContain(
      "did not end within 0.2 seconds and was terminated",
    );
  });
});

describe("a tool that only asks", () => {
  test("is described by its question or result, and never runs", async () => {
    const question = { question: "Which?", follow_up: [{ text: "A" }, { text: "B", mode: "code" }] };
    expect(await descriptor("ask_followup_question", question)).toEqual({
      question: "Which?",
      suggest: [{ answer: "A" }, { answer: "B", mode: "code" }],
    });
    expect((await describeCall("attempt_completion", { result: "Done." })).text).toBe("Done.");
    await expect(result("attempt_completion", { result: "Done." })).rejects.toMatchObject({
      code: "NOT_RUN",
    });
    await expect(result("ask_followup_question", question)).rejects.toThrow("answered by the user");
  });
});

describe("update_todo_list", () => {
  test("is described with items of stable id and their status", async () => {
    const todos = "# Plan\n- [x] done\n[-] under way\n  * [ ] to do\n[ ] to do\n";
    const shown = await descriptor("update_todo_list", { todos });
    expect(shown).toMatchObject({
      tool: "updateTodoList",
      todos: [
        { content: "done", status: "completed" },
        { content: "under way", status: "in_progress" },
        { content: "to do", status: "pending" },
        { content: "to do", status: "pending" },
      ],
    });
    const ids = (value: unknown) => JSON.stringify(value).match(/"id":"\w+"/g);
    expect(new Set(ids(shown)).size).toBe(4);
    expect(ids(await descriptor("update_todo_list", { todos: todos.replace("[-]", "[x]") }))).toEqual(
      ids(shown),
    );
    expect(await text("update_todo_list", { todos })).toBe("Todo list updated successfully.");
    await expect(describeCall("update_todo_list", { todos: "just words" })).rejects.toMatchObject({
      code: "ARGUMENTS_INVALID",
    });
  });
});

describe("apply_diff", () => {
  test("is described with the diff, applies it, and rejects a block without a match when it is described", async () => {
    await put("a.txt", "one\ntwo\nthree\n");
    const diff = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE";
    expect(await descriptor("apply_diff", { path: "a.txt", diff })).toMatchObject({
      tool: "appliedDiff",
      path: "a.txt",
      diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
      diffStats: { added: 1, removed: 1 },
    });
    await text("apply_diff", { path: "a.txt", diff });
    expect(await readBack(path.join(root, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
    await expect(describeCall("apply_diff", { path: "a.txt", diff })).rejects.toMatchObject({
      code: "NO_MATCH",
    });
    await expect(describeCall("apply_diff", { path: "none.txt", diff })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});
