import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RuleLimits } from "../../../adapters/workspace/project-rules.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";

describe("project rules", () => {
  let root: string;
  let outside: string;
  beforeEach(async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "rules-")));
    root = join(base, "work");
    outside = join(base, "outside");
    await mkdir(root);
    await mkdir(outside);
  });
  afterEach(() => rm(dirname(root), { recursive: true }));

  const put = async (path: string, text: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const read = async (rules: RuleLimits = {}) => (await openWorkspace(root, { rules })).projectRules();
  const paths = async (rules?: RuleLimits) => (await read(rules)).map(({ path }) => path);

  test("are read from the known places, in order", async () => {
    await put(".roo/rules/b.md", "b");
    await put(".roo/rules/a.md", "a");
    await put(".roo/rules/image.png", "no");
    await put(".clinerules", "c");
    await put("CLAUDE.md", "d");
    await put("AGENTS.md", "e");
    await put("README.md", "no");
    expect(await read()).toEqual([
      { path: "AGENTS.md", text: "e", cut: false },
      { path: "CLAUDE.md", text: "d", cut: false },
      { path: ".clinerules", text: "c", cut: false },
      { path: ".roo/rules/a.md", text: "a", cut: false },
      { path: ".roo/rules/b.md", text: "b", cut: false },
    ]);
  });

  test("are read from a folder .clinerules like from .roo/rules", async () => {
    await put(".clinerules/x.md", "x");
    await put(".clinerules/y.txt", "y");
    expect(await paths()).toEqual([".clinerules/x.md", ".clinerules/y.txt"]);
  });

  test("may be missing, and an empty file has none", async () => {
    await put("AGENTS.md", " \n");
    expect(await read()).toEqual([]);
  });

  test("L14: are limited in file size, total size and number of files, and cut at a character boundary", async () => {
    await put("AGENTS.md", "ééé");
    expect(await read({ fileBytes: 3 })).toEqual([{ path: "AGENTS.md", text: "é", cut: true }]);
    await put("CLAUDE.md", "12345");
    expect((await read({ totalBytes: 8 })).map(({ text }) => text)).toEqual(["ééé", "12"]);
    expect(await read({ files: 1 })).toHaveLength(1);
  });

  test("L9: are not read through a symlink that leads outside, to a file or to a folder", async () => {
    await writeFile(join(outside, "secret.md"), "secret");
    await symlink(join(outside, "secret.md"), join(root, "AGENTS.md"));
    await symlink("../outside", join(root, ".clinerules"));
    await mkdir(join(root, ".roo"));
    await symlink(outside, join(root, ".roo/rules"));
    expect(await read()).toEqual([]);
  });

  test("are read once from a file with two names", async () => {
    await put("AGENTS.md", "rules");
    await symlink("AGENTS.md", join(root, "CLAUDE.md"));
    expect(await paths()).toEqual(["AGENTS.md"]);
  });

  test.skipIf(process.platform === "win32")(
    "are read from regular files only, and a FIFO does not block",
    async () => {
      const makePipe = "mkfifo";
      execFileSync(makePipe, [join(root, "AGENTS.md")]);
      await mkdir(join(root, "CLAUDE.md"));
      expect(await read()).toEqual([]);
    },
  );

  test("are read from subfolders after the workspace's rules, by level, then by name, with their folder", async () => {
    await put("a/b/AGENTS.md", "deep");
    await put("b/AGENTS.md", "b");
    await put("a/CLAUDE.md", "a too");
    await put("a/AGENTS.md", "a");
    await put(".roo/rules/z.md", "z");
    await put("a/README.md", "no");
    expect(await read()).toEqual([
      { path: ".roo/rules/z.md", text: "z", cut: false },
      { path: "a/AGENTS.md", folder: "a", text: "a", cut: false },
      { path: "a/CLAUDE.md", folder: "a", text: "a too", cut: false },
      { path: "b/AGENTS.md", folder: "b", text: "b", cut: false },
      { path: "a/b/AGENTS.md", folder: "a/b", text: "deep", cut: false },
    ]);
  });

  test("are not read from subfolders that are ignored, hidden, or begin with a dot", async () => {
    await put(".gitignore", "dist/\n");
    await put("src/.gitignore", "AGENTS.md\n");
    await put(".rooignore", "private/\n");
    for (const folder of ["dist", "src", "private", "node_modules/x", ".git", ".cache"])
      await put(`${folder}/AGENTS.md`, folder);
    await put("src/kept/CLAUDE.md", "kept");
    expect(await paths()).toEqual(["src/kept/CLAUDE.md"]);
  });

  test("are not read from subfolders while .rooignore can't be read", async () => {
    await put("AGENTS.md", "top");
    await put("a/AGENTS.md", "a");
    await mkdir(join(root, ".rooignore"));
    expect(await paths()).toEqual(["AGENTS.md"]);
  });

  test("L9: are not read from subfolders through a symlink that leads outside or to a denied file", async () => {
    await writeFile(join(outside, "AGENTS.md"), "secret");
    await put("a/b.md", "a");
    await put("secrets.md", "denied");
    await put(".rooignore", "secrets.md\n");
    await symlink(outside, join(root, "linked"));
    await symlink(join(outside, "AGENTS.md"), join(root, "a/AGENTS.md"));
    await symlink("../secrets.md", join(root, "a/CLAUDE.md"));
    expect(await read()).toEqual([]);
  });

  test("L14: are searched for in a limited number of folders and entries, the highest first", async () => {
    await put("a/AGENTS.md", "a");
    await put("b/AGENTS.md", "b");
    await put("a/c/AGENTS.md", "c");
    expect(await paths({ folders: 1 })).toEqual([]);
    expect(await paths({ folders: 3 })).toEqual(["a/AGENTS.md", "b/AGENTS.md"]);
    expect(await paths({ entries: 3 })).toEqual(["a/AGENTS.md", "b/AGENTS.md"]);
    expect(await paths({ files: 1 })).toEqual(["a/AGENTS.md"]);
    expect(await paths()).toHaveLength(3);
  });
});
