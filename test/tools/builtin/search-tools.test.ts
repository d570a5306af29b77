import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CodebaseIndex, CodebaseMatch } from "../../../tools/index.ts";
import { openToolCalls, type ToolCalls } from "../../support/tool-calls.ts";

let calls: ToolCalls;
beforeEach(async () => {
  calls = await openToolCalls();
  await mkdir(path.join(calls.root, "src"));
  await writeFile(path.join(calls.root, "src/a.ts"), "one");
});
afterEach(() => calls[Symbol.asyncDispose]());

describe("glob", () => {
  test("gives one path a line, and is described with folder and pattern", async () => {
    expect(await calls.text("glob", { pattern: "**/*.ts", path: null })).toBe("src/a.ts");
    expect(await calls.text("glob", { pattern: "*.md" })).toBe(
      "No file matches, or all that match are ignored.",
    );
    expect(await calls.descriptor("glob", { pattern: "*.ts", path: "src" })).toEqual({
      tool: "globFiles",
      path: "src",
      filePattern: "*.ts",
      isOutsideWorkspace: false,
      content: `${calls.root}/src`,
    });
    expect((await calls.describe("glob", { pattern: "*", path: "/etc" })).paths[0]?.inside).toBe(false);
  });

  test("L14: marks a result that is cut, and limits the pattern", async () => {
    for (let file = 0; file < 201; file += 1) await writeFile(path.join(calls.root, `f${file}`), "");
    expect(await calls.text("glob", { pattern: "f*" })).toMatch(
      /\n\[\.\.\. only the 200 files that changed last/,
    );
    expect(() => calls.prepare("glob", { pattern: "x".repeat(1_001) })).toThrow("expected at most 1000");
  });
});

const match = (name: string, more: Partial<CodebaseMatch> = {}): CodebaseMatch => ({
  path: name,
  startLine: 1,
  endLine: 2,
  score: 0.5,
  text: "code",
  ...more,
});
const indexOf = (found: unknown): CodebaseIndex =>
  Object.assign({ search: async (): Promise<readonly CodebaseMatch[]> => [] }, { search: async () => found });

describe("codebase_search", () => {
  test("gives the parts that the index found, to the user as in Roo Code", async () => {
    const asked: unknown[] = [];
    const index: CodebaseIndex = {
      search: async ({ signal: _, ...query }) => {
        asked.push(query);
        return [match("src/a.ts", { score: 0.876, text: "one\n" })];
      },
    };
    const result = await calls.run("codebase_search", { query: "the first", path: "src" }, index);
    expect(asked).toEqual([{ query: "the first", path: "src", limit: 30 }]);
    expect(result.content).toEqual([{ type: "text", text: "# src/a.ts (lines 1-2, score 0.88)\none\n" }]);
    expect(JSON.parse(result.found ?? "")).toEqual({
      tool: "codebaseSearch",
      content: {
        query: "the first",
        results: [{ filePath: "src/a.ts", score: 0.876, startLine: 1, endLine: 2, codeChunk: "one" }],
      },
    });
    expect(await calls.descriptor("codebase_search", { query: "x", path: null })).toEqual({
      tool: "codebaseSearch",
      query: "x",
      path: ".",
      isOutsideWorkspace: false,
    });
  });

  test("L9: leaves out results outside of the workspace or the folder, and those that .rooignore denies", async () => {
    await writeFile(path.join(calls.root, ".rooignore"), "secret\n");
    await symlink("/etc", path.join(calls.root, "src", "etc"));
    const paths = ["/etc/hostname", "../x", "src/etc/hostname", "secret", "b.ts", "srcs/a.ts"];
    const index = indexOf([...paths.map((each) => match(each)), match(`${calls.root}/src/a.ts`)]);
    expect(await calls.text("codebase_search", { query: "x", path: "src" }, index)).toMatch(
      /^# src\/a\.ts [^#]*$/,
    );
    await expect(calls.run("codebase_search", { query: "x", path: ".." }, index)).rejects.toMatchObject({
      code: "OUTSIDE_WORKSPACE",
    });
    await expect(calls.run("codebase_search", { query: "x", path: "secret" }, index)).rejects.toMatchObject({
      code: "IGNORED",
    });
  });

  test("L14: limits the number of results and their texts", async () => {
    const many = Array.from({ length: 5_000 }, () => match("src/a.ts", { text: "x".repeat(100_000) }));
    const text = await calls.text("codebase_search", { query: "x" }, indexOf(many));
    expect(text.match(/^# /gm)).toHaveLength(30);
    expect(text.length).toBeLessThan(100_000);
    expect(text).toContain("bytes cut]");
  });

  test.each([
    [undefined],
    ["text"],
    [[{ path: 1 }]],
    [[match("src/a.ts", { startLine: Number.NaN })]],
    [null],
  ])("rejects an answer of the index that is not a list of results: %j", async (found) => {
    await expect(calls.run("codebase_search", { query: "x" }, indexOf(found))).rejects.toMatchObject({
      code: "FAILED",
    });
  });

  test("without an index gives an error that says what to use", async () => {
    await expect(calls.run("codebase_search", { query: "x" })).rejects.toThrow("Use search_files instead");
    expect(await calls.text("codebase_search", { query: "x" }, indexOf([]))).toContain("Nothing was found");
  });
});
