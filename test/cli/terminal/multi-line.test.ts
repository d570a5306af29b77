import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun, pasted } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const ASKED = { prompt: undefined };
const UP = "\x1b[A";
const DOWN = "\x1b[B";
const LEFT = "\x1b[D";
const ALT_ENTER = "\x1b\r";
const CTRL_UNDERSCORE = "\x1f";
const SHIFT_ENTER = "\x1b[13;2u";

/** An editor that does this with the file. */
function editor(command: string): string {
  const file = path.join(box.newFolder(), "editor.sh");
  writeFileSync(file, `#!/bin/sh\n${command}\n`);
  chmodSync(file, 0o700);
  return file;
}

describe.skipIf(!hasPseudoTerminal)("input of several lines", () => {
  test("a pasted text of three lines is one message", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`, ASKED);
    await terminal.shows("Task prompt:");
    terminal.type(pasted("one\ntwo\nthree"));
    await terminal.shows("three");
    expect(bodies()).toHaveLength(0);
    expect(terminal.text.slice(-4, -1)).toEqual(["Task prompt: one", "two", "three"]);
    terminal.type("\r");
    await terminal.shows("All done.");
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toContain("one\\ntwo\\nthree");
    expect(terminal.text.join("\n")).not.toContain("Queued");
  });

  test("a pasted text of three lines is one message with --plain", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`, { ...ASKED, args: ["--plain"] });
    await terminal.shows("Task prompt:");
    terminal.type(pasted("one\ntwo\nthree"));
    await terminal.shows("Task prompt: one↵two↵three");
    expect(bodies()).toHaveLength(0);
    await terminal.enter("", "All done.");
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toContain("one\\ntwo\\nthree");
  });

  test("Ctrl+_ undoes the last change, also with --plain", async () => {
    for (const args of [[], ["--plain"]]) {
      const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`, { ...ASKED, args });
      await terminal.shows("Task prompt:");
      terminal.type(`one two\x15`);
      await terminal.sees((text) => !text.join("\n").includes("one two"), "an empty input");
      terminal.type(CTRL_UNDERSCORE);
      await terminal.shows("Task prompt: one two");
      await terminal.enter("", "All done.");
      expect(bodies()[0]).toContain("one two");
    }
  });

  test("Alt+Enter and Shift+Enter insert a line", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`, ASKED);
    await terminal.shows("Task prompt:");
    terminal.type(`one${ALT_ENTER}two${SHIFT_ENTER}three\r`);
    await terminal.shows("All done.");
    expect(bodies()[0]).toContain("one\\ntwo\\nthree");
  });

  test("up and down move within it, and recall earlier input at its edges", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}, ${DONE}]`, ASKED);
    await terminal.shows("Task prompt:");
    terminal.type("an earlier one\r");
    await terminal.shows("Type what is missing");
    terminal.type(`first${ALT_ENTER}second${UP}${LEFT}${LEFT}+`);
    await terminal.shows("fir+st");
    terminal.type(UP);
    await terminal.sees((text) => text.at(-2)?.endsWith("an earlier one") === true, "the earlier one");
    terminal.type(`${DOWN}!`);
    await terminal.shows("second!");
    terminal.type("\r");
    await terminal.shows("All done.", 2);
    expect(bodies()[1]).toContain("fir+st\\nsecond!");
  });

  test("Ctrl+G edits the input in the user's editor, and takes it back", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`, {
      ...ASKED,
      env: { VISUAL: `${editor(`echo "$1" >> "$2"; echo "and more" >> "$2"`)} --wait` },
    });
    await terminal.shows("Task prompt:");
    terminal.type(`one${ALT_ENTER}two\x07`);
    await terminal.shows("and more");
    expect(terminal.text.slice(-4, -1)).toEqual(["Task prompt: one", "two--wait", "and more"]);
    terminal.type("\r");
    await terminal.shows("All done.");
    expect(bodies()[0]).toContain("one\\ntwo--wait\\nand more");
  });

  test("an editor that fails leaves the input as it is, and the reason is shown", async () => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, {
      ...ASKED,
      env: { EDITOR: editor("exit 3") },
    });
    await terminal.shows("Task prompt:");
    terminal.type("kept\x07");
    await terminal.shows("failed: exit code 3. The text is as it was. Set VISUAL or EDITOR");
    await terminal.shows("Task prompt: kept");
  });

  test("an interrupt while the editor is open is for the editor alone", async () => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, {
      ...ASKED,
      env: { EDITOR: editor("echo opened; read line") },
    });
    await terminal.shows("Task prompt:");
    terminal.type("kept\x07");
    await terminal.shows("opened");
    terminal.type("\x03");
    await terminal.shows("failed: exit code 130");
    terminal.type("\r");
    await terminal.shows("All done.");
  });
});
