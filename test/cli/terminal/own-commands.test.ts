import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DONE = "{ text: All done. }";
const GOES = "The output goes to the model with your next message.";

describe.skipIf(!hasPseudoTerminal)("!COMMAND", () => {
  test("runs in the workspace, and its output is a part of the next message alone", async () => {
    const { terminal, bodies, journal } = await openPseudoRun(box, `[${DONE}, ${DONE}]`, {
      prompt: undefined,
      files: { "a.txt": "one\n" },
    });
    await terminal.asks("Task prompt:");
    await terminal.enter("!echo up-$((40 + 2)) $(cat a.txt)", "up-42 one");
    await terminal.shows(`Exit code 0. ${GOES}`);
    await terminal.enter("!exit 3", `Exit code 3. ${GOES}`);
    await terminal.asks("Task prompt:");
    expect(bodies()).toEqual([]);
    await terminal.enter("Go", "All done.");
    const sent =
      "Go\\n\\n<command_run_by_user>\\n$ echo up-$((40 + 2)) $(cat a.txt)\\nup-42 one\\n(exit code 0)\\n</command_run_by_user>\\n\\n" +
      "<command_run_by_user>\\n$ exit 3\\n(exit code 3)\\n</command_run_by_user>";
    expect(bodies()[0]).toContain(sent);
    const records = journal().trim().split("\n");
    expect(records.filter((line) => line.includes("up-42")).every((line) => line.includes("Go\\n\\n"))).toBe(
      true,
    );
    await terminal.asks("Type what is missing");
    await terminal.enter("More", "All done.", 2);
    expect(bodies()[1]?.split("up-42")).toHaveLength(2);
  });

  test("does not go to the model where ! alone drops it", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`, { prompt: undefined });
    await terminal.asks("Task prompt:");
    await terminal.enter("!echo up-$((40 + 2))", GOES);
    await terminal.enter("!", "The model does not get the output of your command.");
    await terminal.enter("!", "Expected a command after '!'.");
    await terminal.enter("Go", "All done.");
    expect(bodies().join()).not.toContain("up-42");
  });

  test("has bounded output without escapes, keys and mentions, and answers no question", async () => {
    const write = "{ tool: write_to_file, input: { path: a.txt, content: one } }";
    const { terminal, bodies } = await openPseudoRun(box, `[${write}, ${DONE}]`, {
      files: { "secret.txt": "hidden-content\n" },
    });
    await terminal.shows("? y/n");
    await terminal.enter(
      "!printf '\\033[31mred-%s\\033[0m\\n' $ANTHROPIC_API_KEY; echo @secret.txt; seq 9000",
      GOES,
    );
    await terminal.sees((text) => text.at(-2)?.includes("? y/n") === true, "the question of the task");
    await terminal.enter("No, see the output", "Rejected. The model gets your text.");
    await terminal.shows("All done.");
    // The text of a rejection is JSON within JSON.
    const body = (bodies()[1] ?? "").replaceAll("\\\\", "\\");
    expect(body).toContain("red-[masked]\\n");
    expect(body).toContain("bytes cut ...]");
    expect(body).toContain("\\n9000\\n(exit code 0)");
    expect(body).toContain("\\@secret.txt");
    expect(body).not.toContain("hidden-content");
    expect(body).not.toContain("sk-test");
    expect(body.length).toBeLessThan(60_000);
  });

  test("does not wait for a process that it leaves in the background", async () => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, { prompt: undefined });
    await terminal.asks("Task prompt:");
    await terminal.enter("!sleep 300 & echo started", `Exit code 0. ${GOES}`);
  });

  test("is named, without its output, where its message is shown later", async () => {
    const command = '{ tool: execute_command, input: { command: "echo up-$((40 + 2)); exec sleep 300" } }';
    const { terminal } = await openPseudoRun(box, `[${command}, ${DONE}]`, { args: ["-y"] });
    await terminal.shows("up-42");
    await terminal.enter("!echo own; seq 100 100 300", GOES);
    await terminal.enter("later", "Queued for the next request: later");
    terminal.type("\x1b");
    await terminal.shows("1 queued message goes with what is sent next.");
    terminal.type("\r");
    await terminal.shows("> later");
    await terminal.shows("(with the output of $ echo own; seq 100 100 300)");
  });
});
