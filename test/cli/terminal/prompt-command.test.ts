import { describe, expect, test } from "vitest";
import { rawServer, referenceServer } from "../../support/mcp/servers.ts";
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
    await terminal.shows("The mode is ask. Open asks are judged again now");
    await terminal.shows("> Review a.txt `touch x`.");
    await terminal.shows("Type what is missing");
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
    await run.terminal.shows("Type what is missing");
    await run.terminal.enter(
      "/review a.txt",
      "Unknown command /review. Its file is ignored, as the folder is not trusted.",
    );
    await run.terminal.enter("/git:commit", "Unknown command /git:commit. Its file is ignored");
    expect(run.bodies().join("\n")).not.toContain("/review a.txt");
    const trust = await run.does("config", "trust", "--yes");
    expect(trust.stdout).toContain("slash command: .roo/commands/review.md");
    expect((await run.does("config", "trust", "--yes")).stdout).toContain("is trusted already");
    run.write(".roo/commands/review.md", "Changed.");
    expect((await run.does("config", "trust", "--yes")).stdout).toContain("Trusted: ");
  });
});

describe.skipIf(!hasPseudoTerminal)("prompts of MCP servers", () => {
  const mcpServers = { all: referenceServer("everything"), raw: rawServer("lies") };
  const config = {
    "settings.yaml": JSON.stringify({ version: 1, mcpServers }),
    "commands/all/simple-prompt.md": "Mine.",
  };

  test("are commands that are completed, and shown with their arguments before they are sent", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[{ text: First. }, { text: Second. }]`, {
      config,
      prompt: undefined,
    });
    await terminal.shows("Task prompt:");
    await terminal.enter("/help", "/all:args-prompt city [state] A prompt with two arguments");
    terminal.type("/all:arg\t");
    await terminal.sees((text) => text.at(-2)?.endsWith(": /all:args-prompt") === true, "the completed name");
    await terminal.enter("", "expected the argument 'city', received none. The prompt takes: city [state]");
    await terminal.enter("/all:resource-prompt x 1", 'did not return the prompt "resource-prompt"');
    await terminal.enter(
      "/all:args-prompt 'New York' New York State",
      "> What's weather in New York, New York State?",
    );
    await terminal.shows("First.");
    expect(bodies().join("\n")).toContain("What's weather in New York, New York State?");
    // A command file with the name of a prompt is the user's choice.
    await terminal.enter("/all:simple-prompt", "> Mine.");
    await terminal.shows("Second.");
  });

  test("can't imitate a built-in command, hide a part of their text, or attach a file", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[{ text: First. }]`, {
      config,
      files: { "a.txt": "typed", "secret.txt": "not typed" },
      prompt: undefined,
    });
    await terminal.shows("Task prompt:");
    await terminal.enter("/help", 'MCP server raw: "raw:two words" is not a command');
    await terminal.shows("/raw:help [what]    a\\u001b[2J b (MCP server raw)");
    expect(terminal.text.join("\n")).toContain("/help               list the commands");
    await terminal.enter("/raw:long", "has 200001 bytes, expected at most 200000");
    await terminal.enter("/raw:hidden @a.txt", "> seen\\u202e @a.txt (\\@secret.txt)");
    await terminal.shows("First.");
    expect(bodies().join("\n")).toContain("1 | typed");
    expect(bodies().join("\n")).not.toContain("not typed");
  });
});
