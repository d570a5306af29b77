import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DONE = "{ text: All done. }";
const DOWN = "\x1b[B";
const UP = "\x1b[A";
const FILES = {
  ...{ "src/app.ts": "", "src/api.ts": "", "secret/x": "", ".gitignore": "secret/\n" },
  "docs/my prices.md": "",
};

/** A run that asks for its prompt. */
async function openAsking(args: readonly string[] = []) {
  const run = await openPseudoRun(box, `[${DONE}, ${DONE}]`, { prompt: undefined, files: FILES, args });
  const { terminal } = run;
  await terminal.shows("Task prompt:");
  const has = (row: string) => (text: readonly string[]) => text.includes(row);
  return {
    ...run,
    rowOf: (row: string) => terminal.sees(has(row), `the row ${row}`),
    withoutRow: (row: string) => terminal.sees((text) => !has(row)(text), `no row ${row}`),
    line: (line: string) =>
      terminal.sees((text) => text.at(-2) === `Task prompt: ${line}`.trimEnd(), `the line ${line}`),
  };
}

describe.skipIf(!hasPseudoTerminal)("the menu of files", () => {
  test("lists the paths of a mention as it is typed, and Enter or Tab takes the chosen one", async () => {
    const { terminal, rowOf, withoutRow, line, bodies } = await openAsking();
    terminal.type("see @");
    await rowOf("  @docs/");
    await rowOf("  @src/");
    expect(terminal.text.join("\n")).not.toContain("secret");
    terminal.type("s");
    await withoutRow("  @docs/");
    terminal.type(DOWN);
    await rowOf("> @src/");
    terminal.type("\r");
    await line("see @src/");
    await rowOf("  @src/api.ts");
    terminal.type(`${DOWN}${DOWN}`);
    await rowOf("> @src/app.ts");
    terminal.type(UP);
    await rowOf("> @src/api.ts");
    terminal.type("\t");
    await line("see @src/api.ts");
    await withoutRow("  @src/app.ts");
    terminal.type("\x15see @do");
    await rowOf("  @docs/");
    terminal.type(`${DOWN}\r`);
    await rowOf('  @"docs/my prices.md"');
    terminal.type(`${DOWN}\r`);
    await line('see @"docs/my prices.md"');
    expect(bodies()).toEqual([]);
  });

  test("is closed by Esc, and neither shown nor in the way where nothing is drawn again", async () => {
    const { terminal, rowOf, withoutRow, line } = await openAsking();
    terminal.type("see @");
    await rowOf("  @src/");
    terminal.type("\x1b");
    await withoutRow("  @src/");
    terminal.type("s");
    await rowOf("  @src/");
    terminal.type("\x1b\t");
    await line("see @src/");

    const plain = await openPseudoRun(box, `[${DONE}]`, {
      prompt: undefined,
      files: FILES,
      args: ["--plain"],
    });
    await plain.terminal.shows("Task prompt:");
    plain.terminal.type(`see @s${DOWN}\r`);
    await plain.terminal.shows("All done.");
    expect(plain.bodies()[0]).toContain("see @s");
    expect(plain.bodies()[0]).not.toContain("see @src/");
  });
});

describe.skipIf(!hasPseudoTerminal)("the menu of commands", () => {
  test("is chosen from with arrows and scrolls, and Enter puts the chosen command in the line", async () => {
    const { terminal, line } = await openAsking();
    terminal.type("/");
    await terminal.shows("  /help ");
    terminal.type(DOWN.repeat(12));
    await terminal.shows("> /undo ");
    expect(terminal.text.some((row) => row.startsWith("  /help"))).toBe(false);
    terminal.type(`${UP}\r`);
    await line("/diff");
  });

  test("leaves the arrows to earlier input that was recalled", async () => {
    const { terminal, line } = await openAsking();
    await terminal.enter("!echo one", "Exit code 0");
    await terminal.enter("/cost", "Total: ");
    terminal.type(UP);
    await line("/cost");
    terminal.type(UP);
    await line("!echo one");
  });
});
