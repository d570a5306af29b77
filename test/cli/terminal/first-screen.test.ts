import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

describe.skipIf(!hasPseudoTerminal)("the first screen", () => {
  test("names the workspace, the model, the modes, the instructions that were found, and /help, once", async () => {
    const { terminal, workspace } = await openPseudoRun(box, `[${DONE}]`, {
      prompt: undefined,
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
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, { prompt: undefined });
    await terminal.shows("Instructions: none found (AGENTS.md)");
  });
});
