import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const WRITE = (file: string, content: string): string =>
  `{ tool: write_to_file, input: { path: ${file}, content: "${content}\\n" } }`;
const COMMAND = (command: string): string => `{ tool: execute_command, input: { command: ${command} } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const DOWN = "\x1b[B";
const ACCEPT = "Type what is missing";
const RESTORE = "Restore these files? y/n:";

/** A run with checkpoints whose task has completed the script. */
async function openCompleted(script: string) {
  const run = await openPseudoRun(box, script, { files: { "a.txt": "zero\n" }, args: ["-y"] });
  await run.terminal.shows(ACCEPT);
  return run;
}

describe.skipIf(!hasPseudoTerminal)("/undo", () => {
  const SCRIPT = `[${WRITE("a.txt", "one")}, [${WRITE("a.txt", "two")}, ${WRITE("b.txt", "new")}], ${DONE}]`;

  test("shows what changes, restores after a yes, goes a step back each time, and can be undone", async () => {
    const { terminal, read, workspace } = await openCompleted(SCRIPT);
    await terminal.enter("/undo", RESTORE);
    expect(terminal.text).toEqual(expect.arrayContaining(["-two", "+one", "  ~ a.txt", "  - b.txt"]));
    expect(read("a.txt")).toBe("two\n");
    await terminal.enter("y", "Restored the checkpoint of ");
    expect(read("a.txt")).toBe("one\n");
    expect(existsSync(path.join(workspace, "b.txt"))).toBe(false);
    // The question of the task is asked again.
    await terminal.asks(ACCEPT);

    await terminal.enter("/undo", RESTORE, 2);
    await terminal.enter("y", "Restored the checkpoint of ", 2);
    expect(read("a.txt")).toBe("zero\n");
    await terminal.enter(
      "/undo",
      "The files match every earlier checkpoint of the task. Nothing was changed.",
    );

    const hints = terminal.text.filter((row) => row.startsWith("To undo this: "));
    // The characters that /undo and --list show of a name are enough.
    const [first = ""] = /\/undo \w{12}/.exec(hints[0] ?? "") ?? [];
    await terminal.enter(first, RESTORE, 3);
    await terminal.enter("yes", "Restored the checkpoint ", 3);
    expect(read("a.txt")).toBe("two\n");
    expect(read("b.txt")).toBe("new\n");
    terminal.type("y\r");
    expect(await terminal.code).toBe(0);
  });

  test("changes nothing without a yes: after another answer, Ctrl-C, and the end of the input", async () => {
    const { terminal, read } = await openCompleted(SCRIPT);
    await terminal.enter("/undo", RESTORE);
    await terminal.enter("", "Nothing was changed.");
    await terminal.enter("/undo", RESTORE, 2);
    terminal.type("\x03");
    await terminal.shows("Nothing was changed.", 2);
    await terminal.asks(ACCEPT);
    terminal.type("/undo\r");
    await terminal.asks("Restore these files?");
    terminal.type("\x04");
    expect(await terminal.code).toBe(0);
    expect(read("a.txt")).toBe("two\n");
  });

  test("files that change between the diff and the yes are not touched", async () => {
    const { terminal, read, write } = await openCompleted(SCRIPT);
    await terminal.enter("/undo", RESTORE);
    write("a.txt", "mine\n");
    await terminal.enter("y", "was not restored");
    expect(read("a.txt")).toBe("mine\n");
  });

  test("says why there is nothing to restore: no checkpoint, an unknown one, a task that works", async () => {
    const { terminal } = await openCompleted(`[{ text: Hello. }, ${COMMAND("sleep 60")}]`);
    await terminal.enter("/undo", "The task has no checkpoint");
    await terminal.enter("/undo 1234", "the checkpoint 1234 can't be compared");
    await terminal.enter("Go on", "$ sleep 60");
    await terminal.enter("/undo", "The task is working: it must wait or be at rest to restore files.");
  });
});

describe.skipIf(!hasPseudoTerminal)("/diff", () => {
  test("shows the changes since the first checkpoint, or the last, in the direction of the work", async () => {
    const { terminal } = await openCompleted(`[${WRITE("a.txt", "one")}, ${WRITE("a.txt", "two")}, ${DONE}]`);
    await terminal.enter("/diff", "0 added, 1 changed, 0 removed since the checkpoint of ");
    expect(terminal.text).toEqual(expect.arrayContaining(["-zero", "+two"]));
    expect(terminal.text).not.toContain("-one");
    await terminal.enter("/diff last", "0 added, 1 changed, 0 removed since the checkpoint of ", 2);
    expect(terminal.text).toEqual(expect.arrayContaining(["-one", "+two"]));
    await terminal.enter("/diff first", "Expected /diff or /diff last, received 'first'.");
  });

  test("is bounded, and shows no control characters of files", async () => {
    const { terminal, write } = await openCompleted(`[${WRITE("a.txt", "one")}, ${DONE}]`);
    write("c.txt", `\x1b[2J${"line\n".repeat(1_000)}`);
    await terminal.enter("/diff", "more lines. To restore all of these files: signalbox restore");
    expect(terminal.text.join("\n")).toContain("+\\u001b[2J");
    expect(terminal.text.filter((row) => row === "+line").length).toBeLessThan(400);
  });
});

describe.skipIf(!hasPseudoTerminal)("changing the task", () => {
  test("/fork continues in a copy, /resume ID goes back, and each has its own messages", async () => {
    const { terminal, taskIds, does, data, bodies } = await openPseudoRun(
      box,
      `
rules:
  - { when: { user: Where am I }, turns: [{ text: In the fork. }] }
  - { when: { user: And now }, turns: [{ text: In the original. }] }
  - { turns: [{ text: First. }] }`,
      { args: ["--permission-mode", "plan"] },
    );
    await terminal.shows(ACCEPT);
    const [original = ""] = taskIds();
    terminal.type("\x1b[Z");
    await terminal.sees((text) => text.at(-1)?.startsWith("completed · code · claude") === true, "mode ask");
    await terminal.enter("/fork", `Forked ${original} at `);
    await terminal.shows("Type what to do next, or n/q to quit:");
    // The permission mode is that of the task before.
    await terminal.enter("/permissions", "The permission mode is ask.");
    await terminal.enter("Where am I?", "In the fork.");
    await terminal.asks(ACCEPT);
    await terminal.enter(`/resume ${original.slice(0, 8)}`, "Leaving ");
    await terminal.asks("Type what to do next");
    await terminal.enter("And now?", "In the original.");
    await terminal.asks(ACCEPT);
    terminal.type("y\r");
    expect(await terminal.code).toBe(0);

    expect(taskIds()).toHaveLength(2);
    const fork = taskIds().find((id) => id !== original) ?? "";
    const shown = async (id: string) => (await does("show", id, "--data-dir", data)).stdout;
    expect(await shown(original)).not.toContain("In the fork.");
    expect(await shown(fork)).toContain("In the fork.");
    expect(await shown(fork)).not.toContain("In the original.");
    expect(bodies().join("\n")).toContain("Where am I?");
    await terminal.shows(`To resume: signalbox run --session-id ${original}`);
  });

  test("/resume lists the tasks of the workspace, and continues the chosen one", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { prompt: "Say hello" });
    await terminal.shows(ACCEPT);
    await terminal.enter("/resume", "There is no other task of this workspace.");
    await terminal.enter("/fork", "Type what to do next");
    terminal.type("/resume\r");
    await terminal.asks("Continue which one?");
    const row = (start: string) => new RegExp(`^${start} \\w{8} {2}.* Say hello {2}\\(completed\\)$`);
    const sees = (start: string) =>
      terminal.sees((text) => text.some((each) => row(start).test(each)), start);
    await sees(" ");
    terminal.type(DOWN);
    await sees(">");
    terminal.type("\r");
    await terminal.shows("Leaving ");
    await terminal.asks("Type what to do next");
    terminal.type("q\r");
    expect(await terminal.code).toBe(0);
  });

  test("/resume filters the tasks by the typed text, Enter opens the first match only, and Esc leaves", async () => {
    const rules = "[{ when: { user: apples }, turns: [{ text: Red. }] }, { turns: [{ text: Other. }] }]";
    const { terminal, taskIds } = await openPseudoRun(box, `rules: ${rules}`, { prompt: "Count apples" });
    await terminal.shows(ACCEPT);
    const [apples = ""] = taskIds();
    for (const prompt of ["Count pears", "Count plums"]) {
      terminal.type("/clear\r");
      await terminal.asks("Task prompt:");
      terminal.type(`${prompt}\r`);
      await terminal.asks(ACCEPT);
    }
    terminal.type("/resume\r");
    await terminal.asks("Continue which one?");
    const rows = () => terminal.text.filter((row) => / {2}Count \w+ {2}\(completed\)$/.test(row));
    await terminal.sees(() => rows().length === 2, "both other tasks");
    terminal.type("APP");
    await terminal.sees(() => rows().length === 1 && rows()[0]?.startsWith("> ") === true, "one task");
    terminal.type("\x1b");
    await terminal.asks(ACCEPT);
    expect(rows()).toEqual([]);
    await terminal.enter("/resume", "Continue which one?", 2);
    // Enter opens no task where none has the text.
    terminal.type("none\r");
    await terminal.shows("Esc leaves: none");
    terminal.type("\x15");
    await terminal.enter(
      "app",
      `Continue which one? Arrows and Enter choose, text filters, Esc leaves: ${apples.slice(0, 8)}`,
    );
    await terminal.asks("Type what to do next");
    await terminal.enter("More apples", "Red.", 2);
  });

  test("/resume lists the tasks with numbers where nothing is drawn again", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, {
      prompt: "Say hello",
      args: ["--plain"],
    });
    await terminal.shows(ACCEPT);
    await terminal.enter("/fork", "Type what to do next");
    await terminal.enter("/resume", "Continue which one? A number, or Enter for none:");
    expect(terminal.text.some((row) => /^ 1\. \w{8} {2}.* Say hello {2}\(completed\)$/.test(row))).toBe(true);
    // The next input shows what was written while a question was open.
    terminal.type("7\r");
    await terminal.shows("Type what to do next", 3);
    await terminal.enter("/resume", "Expected a number from 1 to 1, received '7'.");
    await terminal.shows("Continue which one?", 2);
    await terminal.enter("1", "Leaving ");
  });

  test("a task without a start, and an unknown one, are refused, and the run goes on", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { prompt: undefined });
    await terminal.shows("Task prompt:");
    await terminal.enter("/fork", "The task has not started. Type a prompt first.");
    terminal.type("/resume nothing\r");
    await terminal.sees((text) => /[Nn]o task .*nothing/.test(text.join("\n")), "what is unknown");
    await terminal.enter("Say hello", ACCEPT);
    terminal.type("/quit\r");
    expect(await terminal.code).toBe(0);
  });

  test("with --ephemeral there is no task to change to", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { args: ["--ephemeral"] });
    await terminal.shows(ACCEPT);
    for (const [index, command] of ["/fork", "/resume", "/export"].entries()) {
      await terminal.enter(`${command}`, "This run keeps nothing on disk (--ephemeral).", index + 1);
    }
  });
});

describe.skipIf(!hasPseudoTerminal)("/export", () => {
  test("writes the task to a new file: text, JSON or the debugger", async () => {
    const { terminal, read, taskIds, workspace } = await openPseudoRun(box, `[{ text: Hello you. }]`);
    await terminal.shows(ACCEPT);
    terminal.type("/export\r");
    const [id = ""] = taskIds();
    const name = `signalbox-${id.slice(0, 8)}.txt`;
    await terminal.shows(`Written: ${path.join(workspace, name)}`);
    expect(read(name)).toContain("Hello you.");
    expect(read(name)).not.toContain("\x1b");
    await terminal.enter("/export", "can't be written: EEXIST");
    await terminal.enter("/export talk.json", "Written: ", 2);
    expect(JSON.parse(read("talk.json"))).toMatchObject({ type: "task", id });
    terminal.type("/export talk.html\r");
    await terminal.sees((text) => /Written: .*html|page/.test(text.join("\n")), "a page");
  });
});

describe.skipIf(!hasPseudoTerminal)("/init", () => {
  test("shows the prompt and sends it: as the first one, and to a task at rest", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[{ text: Looked. }, { text: Looked again. }]`, {
      prompt: undefined,
    });
    await terminal.shows("Task prompt:");
    await terminal.enter("/init", "> Look at this project and write AGENTS.md in its top folder");
    await terminal.shows(ACCEPT);
    expect(bodies().join("\n")).toContain("write AGENTS.md in its top folder");
    expect(terminal.text.filter((row) => row.includes("write AGENTS.md in its top folder"))).toHaveLength(1);
    await terminal.enter("/init", "Looked again.");
  });

  test("is queued while the task asks, and answers nothing", async () => {
    const { terminal, workspace, read } = await openPseudoRun(
      box,
      `[${WRITE("a.txt", "one")}, { text: End. }]`,
    );
    await terminal.shows("? y/n");
    await terminal.enter("/init", "Queued for the next request.");
    expect(existsSync(path.join(workspace, "a.txt"))).toBe(false);
    await terminal.sees((text) => text.at(-2)?.includes("? y/n") === true, "the question of the task");
    await terminal.enter("y", "End.");
    expect(read("a.txt")).toBe("one\n");
  });
});

describe.skipIf(!hasPseudoTerminal)("an unknown command", () => {
  test("with arguments is rejected, answers no question, and is not a prompt", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${WRITE("a.txt", "one")}, { text: End. }]`, {
      files: { ".roo/commands/one.md": "One." },
      prompt: undefined,
    });
    await terminal.shows("so these are ignored: slash commands (1 file).");
    await terminal.shows("Task prompt:");
    await terminal.enter(
      "/messages x",
      "Expected /messages or a number from 1 to 9999 after it, received 'x'.",
    );
    await terminal.enter("/foo bar", "Unknown command /foo.");
    await terminal.enter("/etc/hosts is odd", "? y/n");
    await terminal.enter(
      "/permission deny edit(**)",
      "Unknown command /permission. Did you mean /permissions?",
    );
    await terminal.sees((text) => text.at(-2)?.includes("? y/n") === true, "the question of the task");
    await terminal.enter("y", "End.");
    expect(bodies()[0]).toContain("/etc/hosts is odd");
    expect(bodies().join("\n")).not.toContain("/foo bar");
    expect(bodies().join("\n")).not.toContain("/permission deny");
  });

  test("a sign that begins a command, alone, answers no question and is not a prompt", async () => {
    const { terminal, bodies } = await openPseudoRun(box, `[${WRITE("a.txt", "one")}, { text: End. }]`, {
      prompt: undefined,
    });
    await terminal.shows("Task prompt:");
    await terminal.enter("/", "Unknown command /. /help lists the commands.");
    await terminal.enter("!", "Expected a command after '!'.");
    expect(bodies()).toEqual([]);
    await terminal.enter("Go on", "? y/n");
    for (const [sign, advice] of [
      ["/ ", "Unknown command /. /help"],
      ["/?", "Unknown command /?. /help"],
      ["/-h", "Unknown command /-h. /help"],
      ["! ", "Expected a command after '!'."],
    ] as const) {
      await terminal.enter(sign, advice);
      await terminal.sees((text) => text.at(-2)?.includes("? y/n") === true, "the question of the task");
    }
    await terminal.enter("y", "End.");
  });
});
