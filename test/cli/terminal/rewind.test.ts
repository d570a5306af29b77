import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { referenceServer } from "../../support/mcp/servers.ts";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const WRITE = (content: string): string =>
  `{ tool: write_to_file, input: { path: a.txt, content: "${content}\\n" } }`;
const COMMAND = '{ tool: execute_command, input: { command: "true" } }';
const DONE = "{ text: All done. }";
const ACCEPT = "Type what is missing";
const CHOOSE = "Go back to before which one?";

describe.skipIf(!hasPseudoTerminal)("/rewind", () => {
  test("goes back to before a message in a copy, with the files of that time, and the task stays as it is", async () => {
    const script = `[${COMMAND}, ${DONE}, ${WRITE("one")}, ${WRITE("two")}, ${DONE}, ${WRITE("three")}, ${DONE}, ${DONE}]`;
    const { terminal, read, taskIds, data, bodies } = await openPseudoRun(box, script, {
      files: { "a.txt": "zero\n" },
      args: ["-y"],
    });
    await terminal.asks(ACCEPT);
    await terminal.enter("Second", "All done.", 2);
    await terminal.asks(ACCEPT);
    await terminal.enter("Third", "All done.", 3);
    await terminal.asks(ACCEPT);
    const [original = ""] = taskIds();
    const journal = () => readFileSync(path.join(data, "tasks", original, "journal.jsonl"), "utf8");
    const before = journal();

    terminal.type("/rewind\r");
    await terminal.asks(CHOOSE);
    expect(terminal.text.some((row) => /^ 1\. \d\d:\d\d:\d\d {2}Go$/.test(row))).toBe(true);
    await terminal.enter("9", "Expected a number from 1 to 3, received '9'.");
    terminal.type("/rewind\r");
    await terminal.asks(CHOOSE);
    // The checkpoint before has its files: nothing had changed since.
    await terminal.enter("2", "Rewind the conversation and these files? y/n:");
    expect(terminal.text).toEqual(expect.arrayContaining(["-three", "+zero", "  ~ a.txt"]));
    await terminal.enter("", "Nothing was changed.");
    expect(read("a.txt")).toBe("three\n");

    terminal.type("\x1b\x1b");
    await terminal.sees((text) => text.at(-2)?.startsWith(CHOOSE) === true, "the list");
    await terminal.enter("3", "Rewind the conversation and these files? y/n:", 2);
    await terminal.enter("y", `Rewound to before: Third. To go back: /resume ${original}`);
    await terminal.asks("Type what to do next");
    expect(read("a.txt")).toBe("two\n");
    await terminal.enter("Another", "All done.", 6);
    expect(bodies().at(-1)).toContain("Second");
    expect(bodies().at(-1)).not.toContain("Third");
    terminal.type("q\r");
    await terminal.code;
    expect(journal()).toBe(before);
    expect(taskIds()).toHaveLength(2);
  });

  test("goes back to before a queued message, which the copy no longer has, and to before the first one in a new task", async () => {
    const sleep = '{ tool: execute_command, input: { command: "echo up-$((40 + 2)); sleep 2" } }';
    const { terminal, read, taskIds, bodies } = await openPseudoRun(
      box,
      `[${sleep}, ${WRITE("one")}, ${DONE}, ${DONE}]`,
      {
        files: { "a.txt": "zero\n" },
        args: ["-y"],
      },
    );
    await terminal.shows("up-42");
    await terminal.enter("Later", "Queued for the next request: Later");
    await terminal.asks(ACCEPT);
    terminal.type("/rewind\r");
    await terminal.asks(CHOOSE);
    await terminal.enter("2", "Rewind the conversation and these files? y/n:");
    await terminal.enter("y", "Rewound to before: Later.");
    await terminal.asks("Enter to resume");
    expect(terminal.text.join("\n")).not.toContain("queued message goes");
    expect(read("a.txt")).toBe("zero\n");
    await terminal.enter("Other", "All done.", 2);
    expect(bodies().at(-1)).toContain("Other");
    expect(bodies().at(-1)).not.toContain("Later");
    await terminal.asks(ACCEPT);
    terminal.type("/rewind\r");
    await terminal.asks(CHOOSE);
    await terminal.enter("1", "Rewind the conversation and these files? y/n:", 2);
    await terminal.enter("y", "Rewound to before: Go.");
    await terminal.asks("Task prompt:");
    expect(taskIds().filter((name) => !name.startsWith("."))).toHaveLength(2);
  });
});

describe.skipIf(!hasPseudoTerminal)("/clear", () => {
  test("starts a new task with the modes of now, also as /new, and /resume goes back", async () => {
    const { terminal, taskIds, bodies } = await openPseudoRun(box, `[${DONE}, ${DONE}, ${DONE}]`, {
      args: ["--permission-mode", "plan"],
    });
    await terminal.asks(ACCEPT);
    const [original = ""] = taskIds();
    await terminal.enter("/mode ask", "The mode is ask.");
    await terminal.enter("/clear", `A new task. To go back: /resume ${original}`);
    await terminal.asks("Task prompt:");
    expect(terminal.text.at(-1)).toMatch(/ · ask · plan · /);
    await terminal.enter("/new", "The task has not started. Type a prompt first.");
    await terminal.enter("Fresh start", "All done.", 2);
    expect(bodies().at(-1)).not.toContain("Go");
    await terminal.asks(ACCEPT);
    await terminal.enter(`/resume ${original}`, "Leaving ");
    await terminal.asks("Type what to do next");
    expect(taskIds()).toHaveLength(2);
  });
});

test.skipIf(!hasPseudoTerminal)("/clear in a resumed task keeps the model of the task", async () => {
  const { does, data, workspace } = await openPseudoRun(box, `[${DONE}]`, { prompt: undefined });
  await does("run", "--provider", "mock", "--data-dir", data, "-p", "Go on");
  // There is no key: only a task of the mock provider can run.
  const terminal = new PseudoTerminal(box.bin, ["run", "-c", "--data-dir", data], {
    cwd: workspace,
    env: { XDG_CONFIG_HOME: path.dirname(data) },
  });
  onTestFinished(() => terminal.hangUp());
  await terminal.asks("Type what to do next");
  terminal.type("/clear\r");
  await terminal.asks("Task prompt:");
  await terminal.enter("Hello there", "This is a scripted response", 2);
});

describe.skipIf(!hasPseudoTerminal)("/mcp", () => {
  test("lists the servers with their state and tools", async () => {
    const mcpServers = { all: referenceServer("everything"), gone: { command: "/nothing/here" } };
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, {
      prompt: undefined,
      config: { "settings.yaml": JSON.stringify({ version: 1, mcpServers }) },
    });
    await terminal.asks("Task prompt:");
    await terminal.enter("/mcp", "The MCP server all is ready.");
    await terminal.sees((text) => text.some((row) => /^ {2}.*\becho, /.test(row)), "the tools");
    await terminal.shows("The MCP server gone is not ready");
    await terminal.shows("  no tools");
  });

  test("says how to add one where there is none", async () => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, { prompt: undefined });
    await terminal.asks("Task prompt:");
    await terminal.enter("/mcp", "No MCP servers. To add one");
  });
});
