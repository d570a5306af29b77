import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readRules, systemPrompt } from "../../../actors/context/index.ts";

const tools = [
  { name: "read_file", group: "read" },
  { name: "list_files", group: "read" },
  { name: "write_to_file", group: "edit" },
  { name: "attempt_completion", group: "always" },
] as const;
const given = { tools, workspace: "/w", rules: [], os: "TestOS 1", shell: "/bin/tsh" };

describe("the system prompt", () => {
  test("has a line of names for each group of tools that there is", () => {
    const [, toolPart = ""] = systemPrompt(given);
    expect(toolPart.match(/^- .*$/gm)).toEqual([
      "- Look at the workspace: read_file, list_files",
      "- Change files: write_to_file",
      "- Talk and plan: attempt_completion",
    ]);
    expect(toolPart).not.toContain("ask_followup_question");
  });

  test("tells the folder, the system and the shell", () => {
    const text = systemPrompt(given).join("\n");
    for (const fact of ["/w", "TestOS 1", "/bin/tsh"]) expect(text).toContain(fact);
  });

  test("marks each rule with its file, and a cut", () => {
    const rules = [
      { path: "AGENTS.md", text: "Be kind.", cut: false },
      { path: ".roo/rules/a.md", text: "Be", cut: true },
    ];
    const part = systemPrompt({ ...given, rules }).at(-1);
    expect(part).toContain("## AGENTS.md\nBe kind.");
    expect(part).toContain("## .roo/rules/a.md\nBe\n(.roo/rules/a.md is longer");
  });

  test("takes another role, and says nothing of tools or rules when there are none", () => {
    const parts = systemPrompt({ ...given, role: "You translate.", tools: [] });
    expect(parts[0]).toBe("You translate.");
    expect(parts).toHaveLength(2);
  });

  test("is the same for the same workspace, so that it can be cached", () => {
    expect(systemPrompt(given)).toEqual(systemPrompt(given));
  });
});

describe("the rules of a workspace", () => {
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
  const paths = async () => (await readRules(root)).map(({ path }) => path);

  test("are read from the known places, in one order", async () => {
    await put(".roo/rules/b.md", "b");
    await put(".roo/rules/a.md", "a");
    await put(".roo/rules/image.png", "no");
    await put(".clinerules", "c");
    await put("CLAUDE.md", "d");
    await put("AGENTS.md", "e");
    await put("README.md", "no");
    expect(await readRules(root)).toEqual([
      { path: "AGENTS.md", text: "e", cut: false },
      { path: "CLAUDE.md", text: "d", cut: false },
      { path: ".clinerules", text: "c", cut: false },
      { path: ".roo/rules/a.md", text: "a", cut: false },
      { path: ".roo/rules/b.md", text: "b", cut: false },
    ]);
  });

  test("a folder .clinerules is read like .roo/rules", async () => {
    await put(".clinerules/x.md", "x");
    await put(".clinerules/y.txt", "y");
    expect(await paths()).toEqual([".clinerules/x.md", ".clinerules/y.txt"]);
  });

  test("none is no failure, and an empty file is none", async () => {
    await put("AGENTS.md", " \n");
    expect(await readRules(root)).toEqual([]);
  });

  test("L14: files are cut at a whole character, all together are bounded, and so is their number", async () => {
    await put("AGENTS.md", "ééé");
    expect(await readRules(root, { fileBytes: 3 })).toEqual([{ path: "AGENTS.md", text: "é", cut: true }]);
    await put("CLAUDE.md", "12345");
    expect((await readRules(root, { totalBytes: 8 })).map(({ text }) => text)).toEqual(["ééé", "12"]);
    expect(await readRules(root, { files: 1 })).toHaveLength(1);
  });

  test("L9: a link that leads outside is not followed, to a file or to a folder", async () => {
    await writeFile(join(outside, "secret.md"), "secret");
    await symlink(join(outside, "secret.md"), join(root, "AGENTS.md"));
    await symlink("../outside", join(root, ".clinerules"));
    await mkdir(join(root, ".roo"));
    await symlink(outside, join(root, ".roo/rules"));
    expect(await readRules(root)).toEqual([]);
  });

  test("a file under two names is read once", async () => {
    await put("AGENTS.md", "rules");
    await symlink("AGENTS.md", join(root, "CLAUDE.md"));
    expect(await paths()).toEqual(["AGENTS.md"]);
  });

  test.skipIf(process.platform === "win32")(
    "what is no plain file is passed over, and blocks nothing",
    async () => {
      const makePipe = "mkfifo";
      execFileSync(makePipe, [join(root, "AGENTS.md")]);
      await mkdir(join(root, "CLAUDE.md"));
      expect(await readRules(root)).toEqual([]);
    },
  );
});
