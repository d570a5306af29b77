import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";
import { openSizedRun } from "./sized-run.ts";

const box = installed();

const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

describe.skipIf(!hasPseudoTerminal)("the first screen", () => {
  test("names the workspace, the model, the modes, the instructions that were found, and /help, once", async () => {
    const { terminal, workspace } = await openSizedRun(box, `[${DONE}]`, {
      files: { "AGENTS.md": "Be brief.", "CLAUDE.md": "Be kind." },
    });
    await terminal.shows("Task prompt:");
    terminal.type("\r");
    await terminal.shows("Task prompt:", 2);
    expect(terminal.text.slice(0, -2)).toEqual([
      `signalbox in ${workspace}`,
      "model claude-sonnet-4-6 · mode code · permission mode ask",
      "Instructions: AGENTS.md, CLAUDE.md",
      "/help lists the commands.",
      "Task prompt: ",
    ]);
  });

  test("says where instructions would be", async () => {
    const { terminal } = await openSizedRun(box, `[${DONE}]`);
    await terminal.shows("Instructions: none found (AGENTS.md)");
  });
});
