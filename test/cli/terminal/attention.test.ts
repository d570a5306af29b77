import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DONE = "{ text: All done. }";
const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: one } }";
const SETTINGS = { "settings.yaml": "version: 1\nterminal: { bell: true, title: true }\n" };

/** The titles that were set, and the number of bells. */
function signals(bytes: string) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets a title
  const TITLE = /\x1b\]2;(.*?)\x07/g;
  return {
    titles: [...bytes.matchAll(TITLE)].map(([, title = ""]) => title.replace(/^.* · /, "")),
    bells: bytes.replaceAll(TITLE, "").split("\x07").length - 1,
  };
}

/** A run that asks once, then completes, and is left. */
async function runToEnd(options: Parameters<typeof openPseudoRun>[2]) {
  const run = await openPseudoRun(box, `[${WRITE}, ${DONE}]`, options);
  const { terminal } = run;
  await terminal.shows("? y/n");
  await terminal.enter("y", "All done.");
  await terminal.shows("Type what is missing");
  terminal.type("y\r");
  expect(await terminal.code).toBe(0);
  return run;
}

describe.skipIf(!hasPseudoTerminal)("with terminal.bell and terminal.title", () => {
  test("the bell rings at each wait and end of a turn, and the title has the folder and the state", async () => {
    const { terminal, workspace } = await runToEnd({ config: SETTINGS });
    const { bells, titles } = signals(terminal.bytes);
    expect(bells).toBe(2);
    expect(titles.filter((title, index) => title !== titles[index - 1])).toEqual(
      expect.arrayContaining(["streaming", "waiting_for_input", "completed"]),
    );
    expect(titles.at(-1)).toBe("completed");
    expect(terminal.bytes).toContain(`\x1b]2;${workspace.split("/").at(-1)} · `);
    // The title before is restored at the end.
    expect(terminal.bytes.indexOf("\x1b[22;2t")).toBeLessThan(terminal.bytes.indexOf("\x1b]2;"));
    expect(terminal.bytes.lastIndexOf("\x1b[23;2t")).toBeGreaterThan(terminal.bytes.lastIndexOf("\x1b]2;"));
  });

  test("there is no title where no escape sequence is written", async () => {
    const { terminal } = await runToEnd({ config: SETTINGS, env: { TERM: "dumb" } });
    expect(signals(terminal.bytes).titles).toEqual([]);
    expect(terminal.bytes).not.toContain("\x1b");
  });

  test("nothing is written to an output that is no terminal", async () => {
    const { does, write } = await openPseudoRun(box, `[${DONE}]`, { config: SETTINGS, prompt: undefined });
    write("script.yaml", `- ${DONE}\n`);
    const { stdout, stderr } = await does(
      "run",
      "--provider",
      "mock",
      "--script",
      "script.yaml",
      "--ephemeral",
      "Go on",
    );
    expect(stdout).toContain("All done.");
    for (const sign of ["\x07", "\x1b"]) expect(stdout + stderr).not.toContain(sign);
  });
});

test.skipIf(!hasPseudoTerminal)("without the settings there is no bell and no title", async () => {
  const { terminal } = await runToEnd({});
  expect(signals(terminal.bytes)).toEqual({ titles: [], bells: 0 });
  expect(terminal.bytes).not.toContain("\x1b[22;2t");
});
