import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expandCommand, parseCommand } from "../../settings/commands/command-file.ts";
import { COMMAND_BYTES_MAX, readCommandTexts } from "../../settings/commands/command-texts.ts";
import { isTrusted, readProjectFiles, trust } from "../../settings/trust.ts";
import { type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

const write = (name: string, text: string): void => {
  const file = path.join(folders.workspace, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const read = () => readCommandTexts(folders.workspace, ".roo/commands", { isConfined: true });

describe("a command file", () => {
  const parse = (text: string, relative = "review.md") => parseCommand(text, relative, `/p/${relative}`);

  test("has a description, a hint of its arguments, a mode and a prompt", async () => {
    const text = "---\ndescription: Look at  it\nargument-hint: FILE\nmode: ask\n---\nReview $1.\n";
    expect(await parse(text)).toEqual({
      name: "review",
      description: "Look at it",
      argumentHint: "FILE",
      mode: "ask",
      text: "Review $1.",
    });
  });

  test("may have no front matter, a list as hint, keys of other programs, and line ends of Windows", async () => {
    expect(await parse("Review.\n")).toEqual({ name: "review", text: "Review." });
    const text = "\uFEFF---\r\nargument-hint: [FILE]\r\nallowed-tools: Bash\r\n---\r\nReview\r\nit.\r\n";
    expect(await parse(text)).toEqual({ name: "review", argumentHint: "[FILE]", text: "Review\nit." });
    expect((await parse("---\n---\nReview\n\n---\nall.")).text).toBe("Review\n\n---\nall.");
    expect(await parse("Write:\n---\nmode: ask\n---\nand the rest.")).toEqual({
      name: "review",
      text: "Write:\n---\nmode: ask\n---\nand the rest.",
    });
  });

  test("in a folder has the folder in its name", async () => {
    expect((await parse("Commit.", "git/commit.md")).name).toBe("git:commit");
  });

  test.each([
    ["---\nmode: [a]\n---\nx", "/p/review.md:2:1: mode: expected "],
    ["---\ndescription: a\nmode: no mode\n---\nx", "/p/review.md:3:1: mode: expected the slug of a mode."],
    ["---\na: &x 1\n---\nx", "/p/review.md:2:4: expected YAML or JSON, but "],
    [
      "---\ndescription: a\nReview",
      "/p/review.md:1:1: expected a line '---' at the end of the front matter.",
    ],
    ["---\ndescription: a\n---\n \n", "expected a prompt. Write it after the front matter."],
    ["", "/p/review.md:1:1: expected a prompt."],
  ])("that is not valid is rejected with its line: %j", async (text, message) => {
    await expect(parse(text)).rejects.toThrow(message);
  });

  test.each(["a b.md", "-x.md", "a/../b.md", "ä.md"])("of the name %s is rejected", async (relative) => {
    await expect(parse("x", relative)).rejects.toThrow("expected a name of letters");
  });
});

describe("arguments of a command", () => {
  test.each([
    ["Fix $ARGUMENTS.", "a b", "Fix a b."],
    ["Fix $1 and $2, not $3.", `a "b c"`, "Fix a and b c, not ."],
    ["Fix $1.", "'x y' z", "Fix x y."],
    ["Fix it.", "", "Fix it."],
    ["Fix it.", "a b", "Fix it.\n\na b"],
    ["Fix $1.", "$2 $ARGUMENTS", "Fix $2."],
    ["Pay $10 for $1x, $ARGUMENTS_X.", "a", "Pay $10 for ax, $ARGUMENTS_X."],
    ["Fix $ARGUMENTS", "$& $' `rm -rf /`", "Fix $& $' `rm -rf /`"],
  ])("%j with %j is %j", (text, given, expected) => {
    expect(expandCommand({ text }, given)).toBe(expected);
  });
});

describe("the folder of commands", () => {
  test("is read with its folders, sorted, and other files are not", async () => {
    write(".roo/commands/b.md", "b");
    write(".roo/commands/git/commit.md", "c");
    write(".roo/commands/a.md", "a");
    write(".roo/commands/note.txt", "no");
    expect(await read()).toEqual({
      texts: { ".roo/commands/a.md": "a", ".roo/commands/b.md": "b", ".roo/commands/git/commit.md": "c" },
      problems: [],
    });
  });

  test("may be missing, or a file", async () => {
    expect(await read()).toEqual({ texts: {}, problems: [] });
    write(".roo/commands", "x");
    expect(await read()).toEqual({ texts: {}, problems: [] });
  });

  test("a file that can't be used is named, and the others are read", async () => {
    write(".roo/commands/good.md", "good");
    write(".roo/commands/large.md", "x".repeat(COMMAND_BYTES_MAX + 1));
    writeFileSync(path.join(folders.workspace, ".roo/commands/bytes.md"), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(path.join(folders.configDir, "outside.md"), "secret");
    symlinkSync(
      path.join(folders.configDir, "outside.md"),
      path.join(folders.workspace, ".roo/commands/link.md"),
    );
    const { texts, problems } = await read();
    expect(texts).toEqual({ ".roo/commands/good.md": "good" });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain(".roo/commands/bytes.md: expected UTF-8 text");
    expect(problems[1]).toContain(".roo/commands/large.md: expected at most 65536 bytes");
    expect(problems[2]).toContain(".roo/commands/link.md: expected a file inside");
  });

  test("has limits: files, and folders in one another", async () => {
    for (let index = 0; index < 205; index += 1) write(`.roo/commands/c${index}.md`, "x");
    write(".roo/commands/a/b/c/d/e.md", "x");
    const { texts, problems } = await read();
    expect(Object.keys(texts)).toHaveLength(200);
    expect(problems.join("\n")).toContain("expected at most 200 files");
    expect(problems.join("\n")).toContain(".roo/commands/a/b/c/d: expected at most 4 folders");
  });
});

test.each([".roo/commands/a.md", ".signalbox/commands/git/b.md"])(
  "trust in a project ends when %s appears or changes",
  async (name) => {
    const trusted = async () => isTrusted(await readProjectFiles(folders.workspace), folders.configDir);
    expect(await trusted()).toBe(true);
    write(name, "one");
    expect(await trusted()).toBe(false);
    await trust(await readProjectFiles(folders.workspace), folders.configDir);
    expect(await trusted()).toBe(true);
    write(name, "two");
    expect(await trusted()).toBe(false);
  },
);
