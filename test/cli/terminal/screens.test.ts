import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const WIDTHS = [60, 100, 160];
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const THOUGHT =
  "The tests compare the output with the expected text, so a comparison that is too strict fails everywhere.";
const TEXT =
  "I compared the two implementations, and the difference is in the comparison of the timestamps, which are rounded.";
const COMMAND = `{ tool: execute_command, input: { command: "npx vitest run test/comparison.test.ts --reporter=verbose" } }`;
const PLAN = `{ tool: update_todo_list, input: { todos: "[x] Compare\\n[-] Change\\n[ ] Test" } }`;
/** A response with code, and a command. */
const CODE = `[{ text: "As in:\\n\\n\`\`\`ts\\nif (a) b(\\"c\\");\\n\`\`\`\\n" }, ${COMMAND}]`;
const ESC = "\x1b";
/** Sets colors or a style. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a color
const STYLES = /\x1b\[[\d;]*m/;

/** What differs between runs, in its usual form. */
const settled = (text: readonly string[]): string =>
  `${text.join("\n")}\n`
    .replaceAll(/^signalbox in\s+\S+$/gm, "signalbox in WORKSPACE")
    .replaceAll(/[\d.]+k? in, \d+ out/g, "N in, N out")
    .replaceAll(/\$\d\.\d{4}/g, "$0.0000")
    .replaceAll(/\d+ % of context/g, "N % of context")
    .replaceAll(/ \d:\d\d$/gm, " 0:00");

/** A command that waits for the file `gate`. */
function gate(workspace: string): { readonly open: () => void } {
  const file = path.join(workspace, "gate");
  execFileSync("mkfifo", [file]);
  return { open: () => writeFileSync(file, "") };
}

describe.skipIf(!hasPseudoTerminal)("the screen", () => {
  test.each(WIDTHS)("at an ask, %i columns wide, breaks lines between words", async (columns) => {
    const script = `[[{ thinking: "${THOUGHT}" }, { text: "${TEXT}" }, ${PLAN}, ${COMMAND}], ${DONE}]`;
    const { terminal } = await openPseudoRun(box, script, { columns, rows: 30 });
    await terminal.sees((text) => /waiting_for_input ·.* 0:\d\d$/.test(text.at(-1) ?? ""), "the ask");
    await expect(settled(terminal.text)).toMatchFileSnapshot(`screens/ask-${columns}.txt`);
  });

  test.each(WIDTHS)("while a command runs, %i columns wide, shows what is queued", async (columns) => {
    const script = `[{ tool: execute_command, input: { command: "echo begun && cat gate" } }, ${DONE}]`;
    const { terminal, workspace } = await openPseudoRun(box, script, { columns, rows: 30 });
    const { open } = gate(workspace);
    await terminal.shows("Run `");
    terminal.type("y\r");
    await terminal.shows("  begun");
    for (const text of [
      "also say why the comparison of two different timestamps fails",
      "and when",
      "and how",
      "and where",
    ])
      terminal.type(`${text}\r`);
    await terminal.shows("and 2 more");
    await terminal.sees((text) => /4 queued|running · code · N?.*/.test(text.at(-1) ?? ""), "the queue");
    await expect(settled(terminal.text)).toMatchFileSnapshot(`screens/queue-${columns}.txt`);
    open();
    await terminal.shows("Type what is missing");
    expect(terminal.text.slice(-5).join("\n")).not.toContain("queued:");
  });
});

describe.skipIf(!hasPseudoTerminal)("while a request runs", () => {
  test("Esc interrupts it, and at rest does not quit", async () => {
    const { terminal, bodies } = await openPseudoRun(
      box,
      `name: slow\ndelayMs: 20\nchunk: 2\nrules:\n  - turns: [{ text: "${TEXT.repeat(5)}" }, ${DONE}]`,
    );
    await terminal.shows("I compared");
    terminal.type(ESC);
    await terminal.shows("Enter to resume");
    terminal.type(ESC);
    terminal.type("say more\r");
    await terminal.shows("All done.");
    expect(bodies()).toHaveLength(2);
  });

  test("nothing says that the model is awaited below text that it streams", async () => {
    const { terminal } = await openPseudoRun(
      box,
      `name: slow\ndelayMs: 5\nchunk: 4\nrules:\n  - turns: [[{ text: "${TEXT}" }, ${DONE}]]`,
    );
    await terminal.shows("All done.");
    const streamed = terminal.bytes.indexOf("I comp");
    expect(terminal.bytes.slice(0, streamed)).toContain("waiting for the model");
    expect(terminal.bytes.slice(streamed)).not.toContain("waiting for the model");
  });

  test("arguments that stream show the tool and their growing size, also beyond their preview of 8 KB", async () => {
    const content = "word ".repeat(8_000);
    const write = `{ tool: write_to_file, input: { path: long.txt, content: "${content}" } }`;
    const { terminal } = await openPseudoRun(
      box,
      `name: slow\ndelayMs: 40\nchunk: 1000\nrules:\n  - turns: [${write}, ${DONE}]`,
    );
    await terminal.shows("Create long.txt");
    const sizes = [
      ...terminal.bytes.matchAll(/New file long\.txt: ([\d.k]+) characters of its arguments received/g),
    ];
    const large = sizes.filter(([, size = ""]) => Number(size.replace("k", "e3")) > 8_192);
    expect(new Set(large.map(([, size]) => size)).size).toBeGreaterThan(1);
  });
});

test.skipIf(!hasPseudoTerminal)("the code in a response has the colors of its language", async () => {
  const { terminal } = await openPseudoRun(box, `[${CODE}, ${DONE}]`);
  await terminal.shows("or type what to do instead:");
  expect(terminal.text).toContain('  if (a) b("c");');
  expect(terminal.bytes).toContain('  \x1b[35mif\x1b[39m (a) \x1b[36mb\x1b[39m(\x1b[32m"c"\x1b[39m);');
});

describe.skipIf(!hasPseudoTerminal)("output without colors", () => {
  test("NO_COLOR removes the colors, and keeps the status line", async () => {
    const { terminal } = await openPseudoRun(box, `[${CODE}, ${DONE}]`, { env: { NO_COLOR: "1" } });
    await terminal.shows("or type what to do instead:");
    expect(terminal.text).toContain('  if (a) b("c");');
    expect(terminal.text.at(-1)).toMatch(/^waiting_for_input · code · /);
    expect(terminal.bytes).not.toMatch(STYLES);
  });

  test("TERM=dumb has no escapes", async () => {
    const { terminal } = await openPseudoRun(box, `[${COMMAND}, ${DONE}]`, { env: { TERM: "dumb" } });
    await terminal.shows("or type what to do instead:");
    expect(terminal.bytes).not.toContain("\x1b");
  });

  test("--plain has no redraws, and no escapes but the one that marks pasted text, and writes each event as a whole line", async () => {
    const { terminal } = await openPseudoRun(
      box,
      `name: slow\ndelayMs: 5\nchunk: 4\nrules:\n  - turns: [[{ thinking: "${THOUGHT}" }, { text: "${TEXT}" }, ${COMMAND}], ${DONE}]`,
      { args: ["--plain"] },
    );
    await terminal.shows("or type what to do instead:");
    expect(terminal.bytes.replace("\x1b[?2004h", "")).not.toContain("\x1b");
    expect(terminal.bytes).not.toMatch(/\r(?!\n)/);
    expect(terminal.text).toContain(THOUGHT);
    expect(terminal.text).toContain(TEXT);
    terminal.type("n\r");
    await terminal.shows("Type what is missing");
  });
});
