import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { rawServer } from "../../support/mcp/servers.ts";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DOWN = "\x1b[B";
const UP = "\x1b[A";
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const COMMAND = `{ tool: execute_command, input: { command: npm test } }`;
const LONG = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join("\\n");
const CREATE = `{ tool: write_to_file, input: { path: deep/dir/x.sh, content: "${LONG}\\n" } }`;
const EDIT = `{ tool: write_to_file, input: { path: a.txt, content: "1\\n2\\n3\\n" } }`;

describe.skipIf(!hasPseudoTerminal)("a question", () => {
  test("names its target last, and a long content is folded", async () => {
    const { terminal } = await openPseudoRun(box, `[${CREATE}, ${DONE}]`);
    await terminal.shows("Create deep/dir/x.sh (+300)? y/n/always/e(dit)/v/q, or type what to do instead:");
    const text = terminal.text.join("\n");
    expect(text).toContain("+line 20\n  ... 270 lines hidden (v shows all) ...\n  +line 291");
    expect(text).not.toContain("+line 21\n");
    expect(terminal.text.at(-2)).toContain("Create deep/dir/x.sh (+300)?");
  });

  test("about a call of an MCP server names the server, the tool and the arguments", async () => {
    const call = `{ tool: raw__echo, input: { path: . } }`;
    const settings = JSON.stringify({ version: 1, mcpServers: { raw: rawServer() } });
    const { terminal } = await openPseudoRun(box, `[${call}, ${call}, ${DONE}]`, {
      config: { "settings.yaml": settings },
    });
    await terminal.shows("Connecting to raw");
    await terminal.shows("* raw/echo path: .");
    await terminal.shows("Call raw/echo? y/n/always/q, or type what to do instead:");
    expect(terminal.text.join("\n")).not.toContain("use_mcp_tool");
    await terminal.enter("/permissions allow mcp(raw/*)", "after your answer to the open question.");
    await terminal.enter("y", "* raw/echo path: .  (mcp(raw/*)");
    await terminal.shows("Type what is missing");
  });

  test("of an edit names the file and its changes, and of a command the command", async () => {
    const { terminal } = await openPseudoRun(box, `[${EDIT}, ${COMMAND}, ${DONE}]`, {
      files: { "a.txt": "1\n2\n" },
    });
    await terminal.shows("a.txt (+1 -0)? y/n/always/e(dit)/q, or type");
    await terminal.enter("no thanks", "Rejected. The model gets your text.");
    await terminal.shows("Run `npm test`? y/n/always/q, or type what to do instead:");
  });

  test("of a command that runs in the background says so", async () => {
    const call = `{ tool: execute_command, input: { command: npm start, background: true } }`;
    const { terminal } = await openPseudoRun(box, `[${call}, ${DONE}]`);
    await terminal.shows("Run `npm start` in the background? y/n");
  });

  test("that was answered is shown again with the history of the task", async () => {
    const question = `{ tool: ask_followup_question, input: { question: Which side?, follow_up: [{ text: left }] } }`;
    const { terminal, does, taskIds, data } = await openPseudoRun(box, `[${question}, ${DONE}]`);
    await terminal.shows("A number, or your own answer");
    await terminal.enter("1", "Type what is missing");
    const shown = (await does("show", taskIds().join(), "--data-dir", data)).stdout;
    expect(shown).toContain("? Which side?\n  1. left\n");
    expect(terminal.text.filter((row) => row.includes("Which side?"))).toHaveLength(1);
  });

  test("with hidden content shows all of it in the user's pager, and asks again", async () => {
    const pager = path.join(box.newFolder(), "pager.sh");
    writeFileSync(pager, `echo "lines: $(wc -l < "$1")"; grep -x "+line 150" "$1"; read key`);
    const { terminal } = await openPseudoRun(box, `[${CREATE}, ${DONE}]`, {
      env: { PAGER: `sh ${pager}` },
    });
    await terminal.shows("(+300)?");
    terminal.type("v\r");
    await terminal.shows("lines: 300");
    await terminal.shows("+line 150");
    terminal.type("\n");
    await terminal.shows("(+300)?", 2);
    terminal.type("y\r");
    await terminal.shows("Type what is missing");
  });

  test("with hidden content writes all of it where there is no pager", async () => {
    const { terminal } = await openPseudoRun(box, `[${CREATE}, ${DONE}]`, {
      env: { PAGER: "no-such-pager" },
    });
    await terminal.shows("(+300)?");
    terminal.type("v\r");
    await terminal.shows("+line 150");
  });
});

describe.skipIf(!hasPseudoTerminal)("the words that answer a question", () => {
  test("are the same everywhere: y accepts a completion, and is not feedback", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`);
    await terminal.shows("Type what is missing, y to accept, q to leave:");
    terminal.type("y\r");
    expect(await terminal.code).toBe(0);
    expect(bodies()).toHaveLength(1);
  });

  test("that a question does not offer are asked again, and never sent as text", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}]`);
    await terminal.shows("Type what is missing");
    for (const [index, word] of ["always", "v", "no"].entries()) {
      terminal.type(`${word}\r`);
      await terminal.shows(`'${word}' is no answer here.`);
      await terminal.shows("Type what is missing", 2 + index);
    }
    expect(bodies()).toHaveLength(1);
  });

  test("include always, written out, at a command", async () => {
    const { terminal } = await openPseudoRun(box, `[${COMMAND}, ${DONE}]`);
    await terminal.shows("Run `npm test`?");
    terminal.type("always\r");
    await terminal.shows("Always allow command(npm test)?");
  });

  test("include q, which quits at every question, and the task can be resumed", async () => {
    const failing = await openPseudoRun(box, `[{ status: 400 }, ${DONE}]`);
    await failing.terminal.shows("Retry? y/n/q:");
    failing.terminal.type("q\r");
    expect(await failing.terminal.code).toBe(0);
    const asking = await openPseudoRun(box, `[${COMMAND}, ${DONE}]`);
    await asking.terminal.shows("Run `npm test`?");
    asking.terminal.type("q\r");
    expect(await asking.terminal.code).toBe(0);
    expect(asking.terminal.text.join("\n")).toContain("To resume:");
  });
});

describe.skipIf(!hasPseudoTerminal)("the arrows at a question", () => {
  test("choose among the words that answer it, which Enter gives", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${COMMAND}, ${COMMAND}, ${DONE}]`);
    await terminal.shows("Run `npm test`?");
    terminal.type(DOWN);
    await terminal.shows("> y       Run");
    expect(terminal.text).toEqual(
      expect.arrayContaining(["  n       Reject", "  always  Allow such calls from now on: choose a rule"]),
    );
    terminal.type(`${DOWN}${DOWN}`);
    await terminal.shows("> always");
    terminal.type("\r");
    await terminal.shows("Always allow command(npm test)?");
    terminal.type(`${UP}${DOWN}${DOWN}${DOWN}${DOWN}${DOWN}${DOWN}`);
    await terminal.shows("> n  Back");
    terminal.type("\r");
    await terminal.shows("Run `npm test`?", 2);
    terminal.type(`${DOWN}${DOWN}\r`);
    await terminal.shows("what to do instead: n");
    await terminal.shows("what to do instead:", 3);
    expect(bodies()).toHaveLength(2);
  });

  test("choose a suggestion of the model, and another key closes the menu", async () => {
    const question = `{ tool: ask_followup_question, input: { question: Which side?, follow_up: [{ text: left }, { text: right }] } }`;
    const { terminal, bodies } = await openPseudoRun(box, `[${question}, ${question}, ${DONE}]`);
    await terminal.shows("A number, or your own answer");
    terminal.type(DOWN);
    await terminal.shows("> 1. left");
    terminal.type(`${DOWN}`);
    await terminal.shows("> 2. right");
    terminal.type("\r");
    await terminal.shows("Which side?", 2);
    expect(bodies()[1]).toContain("right");
    await terminal.asks("A number, or your own answer");
    terminal.type(DOWN);
    await terminal.shows("> 1. left");
    terminal.type("up");
    await terminal.sees(
      (text) => !text.includes("> 1. left") && text.at(-2)?.endsWith("up") === true,
      "the text alone",
    );
    terminal.type("\r");
    await terminal.shows("Type what is missing");
    expect(bodies()[2]).toContain("up");
  });

  test("give nothing while none is chosen: Enter alone approves no call (L7)", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${COMMAND}, ${DONE}]`);
    await terminal.shows("Run `npm test`?");
    terminal.type(DOWN);
    await terminal.shows("> y       Run");
    terminal.type("\x1b");
    await terminal.sees((text) => !text.some((row) => row.startsWith("> y")), "no menu");
    terminal.type(`${DOWN}${UP}\r`);
    await terminal.shows("Please answer y or n.");
    expect(bodies()).toHaveLength(1);
  });

  test("choose nothing where no menu is drawn", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${COMMAND}, ${DONE}]`, { args: ["--plain"] });
    await terminal.shows("Run `npm test`?");
    terminal.type(`${DOWN}\r`);
    await terminal.shows("Run `npm test`?", 2);
    terminal.type("n\r");
    await terminal.shows("Type what is missing");
    expect(terminal.text.join("\n")).toContain("Please answer y or n.");
    expect(bodies()[1]).toContain("The user denied this operation.");
  });
});
