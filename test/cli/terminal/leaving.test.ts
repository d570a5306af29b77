import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const DONE = "{ text: All done. }";
const QUESTION = "Type what is missing";

describe.skipIf(!hasPseudoTerminal)("at a completion", () => {
  test("Enter on an empty line does not leave; text continues, and y leaves", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${DONE}, ${DONE}]`);
    await terminal.asks(QUESTION);
    await terminal.enter("", "An empty line is not an answer.");
    await terminal.enter("  ", "An empty line is not an answer.", 2);
    await terminal.asks(QUESTION);
    await terminal.enter("More", "All done.", 2);
    expect(bodies()).toHaveLength(2);
    await terminal.asks(QUESTION);
    terminal.type("y\r");
    expect(await terminal.code).toBe(0);
  });

  test.each([
    ["/exit", "/exit\r"],
    ["/quit", "/quit\r"],
    ["q", "q\r"],
    ["Ctrl-D", "\x04"],
  ])("%s leaves with code 0", async (_, keys) => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`);
    await terminal.asks(QUESTION);
    terminal.type(keys);
    expect(await terminal.code).toBe(0);
  });

  test("the status line says what a task at rest waits for, and no line names states without --verbose", async () => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`);
    await terminal.asks(QUESTION);
    expect(terminal.text.at(-1)).toMatch(/^completed · code · /);
    expect(terminal.text.filter((row) => row.startsWith("-- "))).toEqual([]);
  });

  test("with consecutive errors it does not say that the task is idle", async () => {
    const unknown = "{ tool: no_such_tool, input: {} }";
    const { terminal } = await openPseudoRun(box, `[${unknown}, ${unknown}, ${DONE}]`, {
      args: ["--consecutive-mistake-limit", "1"],
    });
    await terminal.asks("Continue?");
    expect(terminal.text.at(-1)).toMatch(/^stopped after errors · /);
  });
});

describe.skipIf(!hasPseudoTerminal)("commands of the user", () => {
  test("are listed with what they do as their names are typed", async () => {
    const { terminal } = await openPseudoRun(box, `[${DONE}]`, { prompt: undefined });
    await terminal.asks("Task prompt:");
    terminal.type("/m");
    await terminal.shows("/mode [SLUG]        list the modes, or switch to another");
    await terminal.shows("/messages [N]       the last 10 messages");
    expect(terminal.text.join("\n")).not.toContain("/undo");
    terminal.type("\x7f\x7f");
    await terminal.sees((text) => !text.join("\n").includes("/mode [SLUG]"), "no menu");
  });

  test("/tasks lists the commands in the background, the status line counts them, and leaving names them", async () => {
    const command =
      '{ tool: execute_command, input: { command: "echo up; exec sleep 300", background: true } }';
    const { terminal } = await openPseudoRun(box, `[${command}, ${DONE}]`, { args: ["-y"] });
    await terminal.asks(QUESTION);
    expect(terminal.text.at(-1)).toContain(" · 1 in the background · ");
    await terminal.enter("/tasks", "  $ echo up; exec sleep 300");
    terminal.type("y\r");
    await terminal.shows("Terminated with the task: echo up; exec sleep 300");
    expect(await terminal.code).toBe(0);
  });

  test("e opens an installed editor where neither VISUAL nor EDITOR is set", async () => {
    const write = "{ tool: write_to_file, input: { path: a.txt, content: one } }";
    const folder = box.newFolder();
    const {
      terminal,
      write: put,
      workspace,
    } = await openPseudoRun(box, `[${write}, ${DONE}]`, {
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
    const editor = path.relative(workspace, path.join(folder, "vi"));
    put(editor, '#!/bin/sh\nprintf two > "$1"\n');
    chmodSync(path.join(folder, "vi"), 0o755);
    await terminal.shows("/e(dit)/q, or type");
    await terminal.enter("e", "+two");
    await terminal.enter("y", "> Edited by you: a.txt");
  });

  test("text typed after Esc says that queued messages go with it", async () => {
    const command = '{ tool: execute_command, input: { command: "echo up-$((40 + 2)); exec sleep 300" } }';
    const { terminal } = await openPseudoRun(box, `[${command}, ${DONE}]`, { args: ["-y"] });
    await terminal.shows("up-42");
    await terminal.enter("later", "Queued for the next request: later");
    terminal.type("\x1b");
    await terminal.shows("1 queued message goes with what is sent next. /queue lists them.");
    await terminal.enter("/queue", " 1. later");
    await terminal.enter("/queue 2", "Expected a number from 1 to 1, received '2'.");
    await terminal.enter("/queue 1 much later", "Changed in the queue: much later");
    await terminal.enter("/queue", " 1. much later");
    await terminal.enter("/queue 1", "Removed from the queue: much later");
    await terminal.enter("/queue", "No message is queued.");
  });
});
