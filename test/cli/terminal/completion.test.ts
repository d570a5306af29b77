import { describe, expect, test } from "vitest";
import { complete } from "../../../cli/terminal/completion.ts";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "": ["README.md", "src/", "my notes.txt", "big folder/"],
  "src/": ["src/app.ts", "src/api.ts", "src/lib/"],
  "big folder/": ["big folder/a.txt"],
};

const completed = (line: string) =>
  complete(line, {
    commands: [
      { name: "help" },
      { name: "mode", candidates: () => ["architect", "ask", "code"] },
      { name: "messages" },
      { name: "git:commit" },
      { name: "resume", candidates: async () => ["one", "two"] },
    ],
    files: async (folder) => FOLDERS[folder] ?? [],
  });

describe("Tab completes", () => {
  test.each([
    ["/", "/", ["/help", "/mode", "/messages", "/git:commit", "/resume"]],
    ["/m", "/m", ["/mode", "/messages"]],
    ["/git:", "/git:", ["/git:commit"]],
    ["/x", "/x", []],
    ["/mode ", "", ["architect", "ask", "code"]],
    ["/mode a", "a", ["architect", "ask"]],
    ["/resume t", "t", ["two"]],
    ["/help m", "", []],
    ["/nothing m", "", []],
    ["mode a", "", []],
    ["see @", "@", ["@README.md", "@src/", '@"my notes.txt"', '@"big folder/']],
    ["@src/a", "@src/a", ["@src/app.ts", "@src/api.ts"]],
    ["(@/src/l", "@/src/l", ["@/src/lib/"]],
    ["/help @src/ap", "@src/ap", ["@src/app.ts", "@src/api.ts"]],
    ['see @"big folder/', '@"big folder/', ['@"big folder/a.txt"']],
    ['see @"my', '@"my', ['@"my notes.txt"']],
    ["me@src", "", []],
    ["see @none/x", "@none/x", []],
    ["", "", []],
  ])("%j", async (line, word, candidates) => {
    expect(await completed(line)).toEqual({ word, candidates });
  });

  test("at most 50 candidates", async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `f${index}`);
    const sources = { commands: names.map((name) => ({ name })), files: async () => names };
    expect((await complete("@f", sources)).candidates).toHaveLength(50);
    expect((await complete("/f", sources)).candidates).toHaveLength(50);
  });
});

const box = installed();

describe.skipIf(!hasPseudoTerminal)("on a terminal", () => {
  test("Tab completes commands, arguments and paths without ignored ones, and shows the candidates", async () => {
    const files = {
      ...{ "src/app.ts": "", "src/api.ts": "", "secret/x": "", ".gitignore": "secret/\n" },
      "docs/my prices.md": "",
    };
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { files, columns: 80 });
    const last = (line: string) =>
      terminal.sees((text) => text.at(-2)?.endsWith(`: ${line}`) === true, `the line ${line}`);
    await terminal.shows("Type what is missing");
    terminal.type("/perm\t");
    await last("/permissions");
    terminal.type(" a\t");
    await terminal.shows("ask  auto-edit  auto  allow");
    terminal.type("uto-\t");
    await last("/permissions auto-edit");
    expect(terminal.text.join("\n")).not.toContain("ask  auto-edit");
    terminal.type("\x15/\t");
    await terminal.sees(
      (text) =>
        text.some((row) => /^ {2}\/permissions .*…$/.test(row)) &&
        text.some((row) => row.startsWith("> /help ")),
      "the commands, cut with a mark, and the first one chosen",
    );
    terminal.type("\x15see @s\t");
    await last("see @src/");
    terminal.type("a\t");
    await last("see @src/ap");
    await terminal.shows("  @src/api.ts");
    terminal.type("p\t");
    await last("see @src/app.ts");
    // A path with a space gets its quotes.
    terminal.type("\x15see @docs/my\t");
    await last('see @"docs/my prices.md"');
    // Shift+Tab selects a mode, and completes nothing.
    terminal.type("\x15/perm\x1b[Z");
    await terminal.sees((text) => text.at(-1)?.includes("auto-edit") === true, "the next permission mode");
    await last("/perm");
  });
});
