import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSkills } from "../../../adapters/instructions/skills.ts";
import { readUserRules } from "../../../adapters/instructions/user-rules.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { Workspace } from "../../../tools/index.ts";

let root: string;
let workspace: Workspace;
const put = (name: string, content: string | Uint8Array) => writeFile(path.join(root, name), content);
const ENCODINGS = {
  "UTF-8 with a byte order mark": (text: string) => Buffer.from(`\ufeff${text}`),
  "UTF-16 little endian": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16 big endian": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
};
const encodings = Object.entries(ENCODINGS);
const UNKNOWN: readonly (readonly [string, Buffer])[] = [
  ["UTF-16 without a byte order mark", Buffer.from("secret.txt\n", "utf16le")],
  ["Latin-1", Buffer.from("geh\xe9im\nsecret.txt\n", "latin1")],
];

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "deny-")));
  workspace = await openWorkspace(root);
  await put("secret.txt", "KEY");
  await put("other.txt", "text");
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe(".rooignore", () => {
  test.each(encodings)("in %s denies what it names, from its first line on", async (_, encode) => {
    await put(".rooignore", encode("secret.txt\r\n*.pem\r\n"));
    await expect(workspace.read("secret.txt")).rejects.toMatchObject({ code: "IGNORED" });
    expect(await workspace.resolve("secret.txt")).toMatchObject({ ignored: true });
    expect(await workspace.mayIgnore("secret.*")).toBe(true);
    await workspace.read("other.txt");
    expect(await workspace.list(".", { recursive: true, limit: 9 })).toMatchObject({
      names: [".rooignore", "other.txt"],
    });
  });

  test.each(UNKNOWN)("in %s denies access to every file, and is named", async (_, bytes) => {
    await put(".rooignore", bytes);
    const message = expect.stringContaining(
      "The rules in .rooignore can't be read, so access to every file is denied: expected UTF-8 text",
    );
    for (const name of ["secret.txt", "other.txt"])
      await expect(workspace.read(name)).rejects.toMatchObject({ code: "IGNORED", message });
    expect(await workspace.resolve("other.txt")).toMatchObject({ ignored: true, unreadableRules: message });
  });

  test("denies a name by a rule with characters that look like its own", async () => {
    await put(".rooignore", "my key.txt\nMu\u0308ll/\nDon't.md\n");
    await mkdir(path.join(root, "M\u00fcll"));
    for (const name of ["my\u202fkey.txt", "my\u00a0key.txt", "M\u00fcll/a", "Don\u2019t.md"]) {
      await put(name, "KEY");
      await expect(workspace.read(name)).rejects.toMatchObject({ code: "IGNORED" });
    }
  });
});

describe("rules and skills", () => {
  test.each(encodings)("in %s are read", async (_, encode) => {
    await put("AGENTS.md", encode("Use tabs: caf\u00e9."));
    expect(await workspace.projectRules()).toEqual([
      { path: "AGENTS.md", text: "Use tabs: caf\u00e9.", cut: false },
    ]);
    expect(await readUserRules(root)).toMatchObject([{ text: "Use tabs: caf\u00e9.", cut: false }]);
    await mkdir(path.join(root, ".signalbox/skills/a"), { recursive: true });
    await put(".signalbox/skills/a/SKILL.md", encode("---\nname: a\ndescription: b\n---\nbody"));
    expect(await openSkills({ workspace: root }).list()).toMatchObject({
      skills: [{ name: "a" }],
      invalid: [],
    });
  });

  test.each(UNKNOWN)("in %s are named, and never sent as they are", async (_, bytes) => {
    await put("AGENTS.md", bytes);
    const text = expect.stringMatching(/^\(This file could not be read: expected UTF-8 text/);
    expect(await workspace.projectRules()).toEqual([{ path: "AGENTS.md", text, cut: false }]);
    expect(await readUserRules(root)).toMatchObject([{ text }]);
    await mkdir(path.join(root, ".signalbox/skills/a"), { recursive: true });
    await put(".signalbox/skills/a/SKILL.md", bytes);
    expect(await openSkills({ workspace: root }).list()).toMatchObject({
      skills: [],
      invalid: [{ reason: expect.stringContaining("expected UTF-8 text") }],
    });
  });

  test("in UTF-16 are cut between two characters", async () => {
    await put("AGENTS.md", Buffer.from("\ufeffabc", "utf16le"));
    const limited = await openWorkspace(root, { rules: { fileBytes: 5 } });
    expect(await limited.projectRules()).toEqual([{ path: "AGENTS.md", text: "a", cut: true }]);
  });
});

test(".gitignore in UTF-16 hides files from listings", async () => {
  await put(".gitignore", Buffer.from("\ufeffsecret.txt\n", "utf16le"));
  expect(await workspace.list(".", { recursive: true, limit: 9 })).toMatchObject({
    names: [".gitignore", "other.txt"],
  });
});
