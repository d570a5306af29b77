import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readProjectRules } from "../../../adapters/workspace/project-rules.ts";

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
  const paths = async () => (await readProjectRules(root)).map(({ path }) => path);

  test("are read from the known places, in order", async () => {
    await put(".roo/rules/b.md", "b");
    await put(".roo/rules/a.md", "a");
    await put(".roo/rules/image.png", "no");
    await put(".clinerules", "c");
    await put("CLAUDE.md", "d");
    await put("AGENTS.md", "e");
    await put("README.md", "no");
    expect(await readProjectRules(root)).toEqual([
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
    expect(await readProjectRules(root)).toEqual([]);
  });

  test("L14: are limited in file size, total size and number of files, and cut at a character boundary", async () => {
    await put("AGENTS.md", "ééé");
    expect(await readProjectRules(root, { fileBytes: 3 })).toEqual([
      { path: "AGENTS.md", text: "é", cut: true },
    ]);
    await put("CLAUDE.md", "12345");
    expect((await readProjectRules(root, { totalBytes: 8 })).map(({ text }) => text)).toEqual(["ééé", "12"]);
    expect(await readProjectRules(root, { files: 1 })).toHaveLength(1);
  });

  test("L9: are not read through a symlink that leads outside, to a file or to a folder", async () => {
    await writeFile(join(outside, "secret.md"), "secret");
    await symlink(join(outside, "secret.md"), join(root, "AGENTS.md"));
    await symlink("../outside", join(root, ".clinerules"));
    await mkdir(join(root, ".roo"));
    await symlink(outside, join(root, ".roo/rules"));
    expect(await readProjectRules(root)).toEqual([]);
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
      expect(await readProjectRules(root)).toEqual([]);
    },
  );
});
