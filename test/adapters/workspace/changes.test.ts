import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { fileVersion, NO_FILE } from "../../../tools/file-version.ts";
import type { Workspace } from "../../../tools/index.ts";

let base: string;
let root: string;
const versionOf = (text: string) => fileVersion(Buffer.from(text));
const at = (name: string): string => path.join(root, name);
const { signal } = new AbortController();

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "changes-")));
  root = path.join(base, "root");
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe.each(["descriptors", "paths"] as const)("with the check of %s", (check) => {
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await openWorkspace(root, { check });
  });

  describe("a write that expects a content", () => {
    test("writes a file that has it", async () => {
      await writeFile(at("a"), "one");
      await workspace.write("a", "two", { expects: versionOf("one") });
      await workspace.write("b", "new", { expects: NO_FILE });
      expect(await readFile(at("a"), "utf8")).toBe("two");
      expect(await readFile(at("b"), "utf8")).toBe("new");
    });

    test.each([
      ["another", "other"],
      ["a longer", "one and more"],
      ["no", undefined],
    ])("keeps a file with %s content", async (_, text) => {
      if (text !== undefined) await writeFile(at("a"), text);
      await expect(workspace.write("a", "two", { expects: versionOf("one") })).rejects.toMatchObject({
        code: "CHANGED",
      });
      expect(await readFile(at("a"), "utf8").catch(() => undefined)).toBe(text);
    });

    test("keeps a file where none is expected, also an empty one and one behind a symlink", async () => {
      await writeFile(at("a"), "");
      await symlink("a", at("link"));
      for (const name of ["a", "link"])
        await expect(workspace.write(name, "x", { expects: NO_FILE })).rejects.toMatchObject({
          code: "CHANGED",
        });
      expect(await readFile(at("a"), "utf8")).toBe("");
    });
  });

  describe("remove", () => {
    test("removes a file, and keeps its folder", async () => {
      await mkdir(at("folder"));
      await writeFile(at("folder/a"), "x");
      await workspace.remove("folder/a", { expects: versionOf("x") });
      expect(await readdir(at("folder"))).toEqual([]);
    });

    test("L9: removes nothing outside, no symlink, no folder, and nothing that .rooignore denies", async () => {
      await writeFile(path.join(base, "outside"), "x");
      await writeFile(at("secret"), "x");
      await writeFile(at("a"), "x");
      await writeFile(at(".rooignore"), "secret\n");
      await symlink(path.join(base, "outside"), at("link"));
      await symlink(base, at("up"));
      const cases: readonly (readonly [string, string])[] = [
        ["../outside", "OUTSIDE_WORKSPACE"],
        ["up/outside", "OUTSIDE_WORKSPACE"],
        [path.join(base, "outside"), "OUTSIDE_WORKSPACE"],
        ["link", "NOT_A_FILE"],
        ["up", "NOT_A_FILE"],
        [".", "NOT_A_FILE"],
        ["secret", "IGNORED"],
        [".rooignore", "IGNORED"],
        ["gone", "NOT_FOUND"],
        ["gone/gone", "NOT_FOUND"],
        ["a/b", "NOT_A_FOLDER"],
      ];
      for (const [name, code] of cases) {
        await expect(workspace.remove(name), name).rejects.toMatchObject({ code });
        await expect(workspace.assertChangeable(name, "remove"), name).rejects.toMatchObject({ code });
      }
      expect((await readdir(root)).sort()).toEqual([".rooignore", "a", "link", "secret", "up"]);
      expect(await readFile(path.join(base, "outside"), "utf8")).toBe("x");
    });

    test("keeps a file that has another content than is expected", async () => {
      await writeFile(at("a"), "theirs");
      await expect(workspace.remove("a", { expects: versionOf("mine") })).rejects.toMatchObject({
        code: "CHANGED",
      });
      expect(await readFile(at("a"), "utf8")).toBe("theirs");
    });
  });

  test("a check for a write finds what the write would reject, and creates nothing", async () => {
    await writeFile(at("a"), "x");
    await mkdir(at("folder"));
    await symlink("nowhere", at("dangling"));
    await symlink(base, at("up"));
    await writeFile(at(".rooignore"), "secret/\n");
    for (const [name, code] of [
      ["../x", "OUTSIDE_WORKSPACE"],
      ["up/x/y", "OUTSIDE_WORKSPACE"],
      ["folder", "NOT_A_FILE"],
      [".", "NOT_A_FILE"],
      ["dangling", "NOT_A_FILE"],
      ["a/b/c", "NOT_A_FOLDER"],
      ["secret/new/x", "IGNORED"],
      [".rooignore", "IGNORED"],
    ] as const) {
      await expect(workspace.assertChangeable(name, "write"), name).rejects.toMatchObject({ code });
      await expect(workspace.write(name, "x"), name).rejects.toMatchObject({ code });
    }
    await workspace.assertChangeable("new/folder/x", "write");
    await workspace.assertChangeable("a", "write");
    expect((await readdir(root)).sort()).toEqual([".rooignore", "a", "dangling", "folder", "up"]);
  });

  describe("glob", () => {
    const put = async (name: string, ageSeconds: number): Promise<void> => {
      await mkdir(path.dirname(at(name)), { recursive: true });
      await writeFile(at(name), "");
      const time = 1_700_000_000 - ageSeconds;
      await utimes(at(name), time, time);
    };
    const find = async (pattern: string, folder = ".", limit = 100) =>
      workspace.glob({ path: folder, pattern, limit, signal });

    test("finds files by name in any folder, and by path from the folder, the newest first", async () => {
      await put("a.ts", 30);
      await put("src/b.ts", 10);
      await put("src/deep/c.tsx", 20);
      expect(await find("*.ts")).toEqual({ names: ["src/b.ts", "a.ts"], cut: false });
      expect((await find("**/*.{ts,tsx}")).names).toEqual(["src/b.ts", "src/deep/c.tsx", "a.ts"]);
      expect((await find("src/*.ts")).names).toEqual(["src/b.ts"]);
      expect((await find("./src/**")).names).toEqual(["src/b.ts", "src/deep/c.tsx"]);
      expect((await find("deep/*", "src")).names).toEqual(["src/deep/c.tsx"]);
      expect((await find(`${root}/src/*.ts`)).names).toEqual(["src/b.ts"]);
      expect((await find("[ab].t?")).names).toEqual(["src/b.ts", "a.ts"]);
      expect((await find("*.md")).names).toEqual([]);
    });

    test("leaves out what listings leave out, also if the glob names it", async () => {
      for (const name of [
        "a.log",
        "dist/b.js",
        "node_modules/x/c.js",
        ".git/config",
        "secret/d.js",
        "sub/e.js",
      ])
        await put(name, 0);
      await writeFile(at(".gitignore"), "*.log\ndist/\n");
      await writeFile(at("sub/.gitignore"), "e.*\n");
      await writeFile(at(".rooignore"), "secret\n");
      for (const pattern of ["**", "*.log", "dist/**", "**/*.js", "secret/*", "node_modules/**", ".git/*"])
        expect(
          (await find(pattern)).names.filter((name) => !/ignore$/.test(name)),
          pattern,
        ).toEqual([]);
      await expect(find("*", "secret")).rejects.toMatchObject({ code: "IGNORED" });
    });

    test("L9: follows no symlink, and looks in no folder outside", async () => {
      await writeFile(path.join(base, "outside.ts"), "");
      await symlink(base, at("up"));
      await symlink(path.join(base, "outside.ts"), at("link.ts"));
      expect((await find("**/*.ts")).names).toEqual([]);
      for (const folder of ["..", "up", base])
        await expect(find("*", folder), folder).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
      for (const pattern of ["../*", "a/../../*", "!a", "", "a\0b"])
        await expect(find(pattern), pattern).rejects.toMatchObject({ code: "PATTERN_INVALID" });
      await expect(find("{a,b")).rejects.toMatchObject({ code: "PATTERN_INVALID" });
      await put("a.ts", 0);
      await expect(find("*", "a.ts")).rejects.toMatchObject({ code: "NOT_A_FOLDER" });
      await expect(find("*", "gone")).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    test("L14: gives at most as many as the limit, and says that there are more", async () => {
      for (let file = 0; file < 5; file += 1) await put(`f${file}`, file);
      expect(await find("f*", ".", 3)).toEqual({ names: ["f0", "f1", "f2"], cut: true });
      expect((await find("f*", ".", 5)).cut).toBe(false);
    });

    test("takes linear time for a pattern that makes others backtrack", async () => {
      await put(`${"a".repeat(200)}`, 0);
      await put(`${"a/".repeat(100)}b`, 0);
      // The time that a backtracking search takes would end the test.
      for (const pattern of [
        `${"*a".repeat(400)}b`,
        `${"**/a/".repeat(150)}c`,
        "{a,b}".repeat(150),
        "[".repeat(900),
      ])
        expect((await find(pattern).catch(() => ({ names: [] }))).names).toEqual([]);
    });

    test("ends when its call is stopped", async () => {
      const search = { path: ".", pattern: "*", limit: 10, signal: AbortSignal.abort() };
      await expect(workspace.glob(search)).rejects.toThrow();
    });
  });
});

describe("with an editor", () => {
  const unsaved = new Map<string, string>();
  const saved: string[] = [];
  const editor = {
    readBuffer: (name: string) => unsaved.get(name),
    save: async (name: string, text: string) => {
      saved.push(name);
      unsaved.delete(name);
      await writeFile(at(name), text);
    },
  };
  beforeEach(() => {
    unsaved.clear();
    saved.length = 0;
  });

  test("a write expects the unsaved text, and one without it is not written", async () => {
    const workspace = await openWorkspace({ root, editor });
    await writeFile(at("a"), "disk");
    unsaved.set("a", "unsaved");
    await expect(workspace.write("a", "new", { expects: versionOf("disk") })).rejects.toMatchObject({
      code: "CHANGED",
    });
    await workspace.write("a", "new", { expects: versionOf("unsaved") });
    expect(saved).toEqual(["a"]);
    unsaved.set("b", "a file that is not on disk");
    await expect(workspace.write("b", "new", { expects: NO_FILE })).rejects.toMatchObject({
      code: "CHANGED",
    });
  });

  test("a file with unsaved changes is not removed", async () => {
    const workspace = await openWorkspace({ root, editor });
    await writeFile(at("a"), "disk");
    unsaved.set("a", "unsaved");
    await expect(workspace.remove("a")).rejects.toMatchObject({ code: "FAILED" });
    await expect(workspace.assertChangeable("a", "remove")).rejects.toMatchObject({ code: "FAILED" });
    unsaved.clear();
    await workspace.remove("a");
    expect(await readdir(root)).toEqual([]);
  });

  test("an editor that does not save says that a write would lose its changes", async () => {
    const workspace = await openWorkspace({ root, editor: { readBuffer: editor.readBuffer } });
    unsaved.set("a", "unsaved");
    await expect(workspace.assertChangeable("a", "write")).rejects.toMatchObject({ code: "FAILED" });
    await workspace.assertChangeable("b", "write");
  });
});
