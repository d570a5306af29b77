import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const FILES = {
  ".roo/commands/review.md":
    "---\ndescription: Look at it\nargument-hint: FILE\nmode: ask\n---\nReview $1 `touch x`.\n",
  ".signalbox/commands/git/commit.md": "Commit: $ARGUMENTS\n",
  ".roo/commands/help.md": "Not the help.\n",
  ".roo/commands/bad.md": "---\ndescription: a\nmode: [x]\n---\nBad.\n",
};

describe.skipIf(!hasPseudoTerminal)("commands of files", () => {
  test("of a trusted project send their prompt with the arguments, shown before, in their mode", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[{ text: First. }, { text: Second. }]`, {
      files: FILES,
      config: { "commands/mine.md": "Mine.", "commands/review.md": "Hidden by the project." },
      isTrusted: true,
      prompt: undefined,
    });
    await terminal.shows("Task prompt:");
    terminal.type("/help\r");
    await terminal.shows("/review FILE        Look at it (.roo/commands/review.md)");
    await terminal.shows("/git:commit");
    await terminal.shows("/mine");
    await terminal.shows(".roo/commands/help.md: /help is a built-in command. Rename the file.");
    await terminal.shows(".roo/commands/bad.md:3:1: mode: expected ");
    terminal.type("/rev\t");
    await terminal.sees((text) => text.at(-2)?.endsWith(": /review") === true, "the completed name");
    terminal.type(" a.txt\r");
    await terminal.shows("The mode is ask from the next request on.");
    await terminal.shows("> Review a.txt `touch x`.");
    await terminal.shows("Enter to accept");
    expect(bodies().join("\n")).toContain("Review a.txt `touch x`.");
    expect(bodies().join("\n")).toContain("# Current mode\\nask");
    terminal.type("/git:commit two words\r");
    await terminal.shows("> Commit: two words");
    await terminal.shows("Second.");
    expect(bodies().join("\n")).toContain("Commit: two words");
  });

  test("of a project that is not trusted, or has changed since, are ignored with a warning", async () => {
    const run = await openPseudoRun(box, `[{ text: First. }]`, { files: FILES });
    await run.terminal.shows("so these are ignored: slash commands (4 files)");
    await run.terminal.shows("Enter to accept");
    run.terminal.type("/review\r");
    await run.terminal.shows("Unknown command /review.");
    const trust = await run.does("config", "trust", "--yes");
    expect(trust.stdout).toContain("slash command: .roo/commands/review.md");
    expect((await run.does("config", "trust", "--yes")).stdout).toContain("is trusted already");
    run.write(".roo/commands/review.md", "Changed.");
    expect((await run.does("config", "trust", "--yes")).stdout).toContain("Trusted: ");
  });
});
