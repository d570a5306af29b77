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
const FILES = { "a.txt": "zero\n" };
const ACCEPT = "Enter to accept";

describe.skipIf(!hasPseudoTerminal)("/undo", () => {
  const SCRIPT = `[${WRITE("a.txt", "one")}, [${WRITE("a.txt", "two")}, ${WRITE("b.txt", "new")}], ${DONE}]`;

  test("shows what changes, restores after a yes, goes a step back each time, and can be undone", async () => {
    const { terminal, read, workspace } = await openPseudoRun(box, SCRIPT, { files: FILES, args: ["-y"] });
    await terminal.shows(ACCEPT);
    terminal.type("/undo\r");
    await terminal.shows("Restore these files? y/n:");
    expect(terminal.text).toEqual(expect.arrayContaining(["-two", "+one", "  ~ a.txt", "  - b.txt"]));
    expect(read("a.txt")).toBe("two\n");
    terminal.type("y\r");
    await terminal.shows("Restored the checkpoint of ");
    expect(read("a.txt")).toBe("one\n");
    expect(existsSync(path.join(workspace, "b.txt"))).toBe(false);
    // The question of the task is asked again.
    await terminal.sees((text) => text.at(-2)?.startsWith(ACCEPT) === true, "the question of the task");

    terminal.type("/undo\r");
    await terminal.shows("Restore these files? y/n:", 2);
    terminal.type("y\r");
    await terminal.shows("Restored the checkpoint of ", 2);
    expect(read("a.txt")).toBe("zero\n");
    terminal.type("/undo\r");
    await terminal.shows("The files match every earlier checkpoint of the task. Nothing was changed.");

    const hints = terminal.text.filter((row) => row.startsWith("To undo this: "));
    const [first = ""] = /\/undo \w+/.exec(hints[0] ?? "") ?? [];
    terminal.type(`${first}\r`);
    await terminal.shows("Restore these files? y/n:", 3);
    terminal.type("yes\r");
    await terminal.shows("Restored the checkpoint ", 3);
    expect(read("a.txt")).toBe("two\n");
    expect(read("b.txt")).toBe("new\n");
    terminal.type("\r");
    expect(await terminal.code).toBe(0);
  });

  test("changes nothing without a yes: after another answer, Ctrl-C, and the end of the input", async () => {
    const { terminal, read } = await openPseudoRun(box, SCRIPT, { files: FILES, args: ["-y"] });
    await terminal.shows(ACCEPT);
    terminal.type("/undo\r");
    await terminal.shows("Restore these files? y/n:");
    terminal.type("\r");
    await terminal.shows("Nothing was changed.");
    terminal.type("/undo\r");
    await terminal.shows("Restore these files? y/n:", 2);
    terminal.type("\x03");
    await terminal.shows("Nothing was changed.", 2);
    await terminal.sees((text) => text.at(-2)?.startsWith(ACCEPT) === true, "the question of the task");
    terminal.type("/undo\r");
    await terminal.sees((text) => text.at(-2)?.startsWith("Restore these files?") === true, "its question");
    terminal.type("\x04");
    expect(await terminal.code).toBe(0);
    expect(read("a.txt")).toBe("two\n");
  });

  test("files that change between the diff and the yes are not touched", async () => {
    const { terminal, read, write } = await openPseudoRun(box, SCRIPT, { files: FILES, args: ["-y"] });
    await terminal.shows(ACCEPT);
    terminal.type("/undo\r");
    await terminal.shows("Restore these files? y/n:");
    write("a.txt", "mine\n");
    terminal.type("y\r");
    await terminal.shows("was not restored");
    expect(read("a.txt")).toBe("mine\n");
  });

  test("says why there is nothing to restore: no checkpoint, an unknown one, a task that works", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }, ${COMMAND("sleep 60")}]`, {
      files: FILES,
      args: ["-y"],
    });
    await terminal.shows(ACCEPT);
    terminal.type("/undo\r");
    await terminal.shows("The task has no checkpoint");
    terminal.type("/undo 1234\r");
    await terminal.shows("the checkpoint 1234 can't be compared");
    terminal.type("Go on\r");
    await terminal.shows("$ sleep 60");
    terminal.type("/undo\r");
    await terminal.shows("The task works: expected one that waits or is at rest to restore files.");
  });
});

describe.skipIf(!hasPseudoTerminal)("/diff", () => {
  test("shows the changes since the first checkpoint, or the last, in the direction of the work", async () => {
    const { terminal } = await openPseudoRun(
      box,
      `[${WRITE("a.txt", "one")}, ${WRITE("a.txt", "two")}, ${DONE}]`,
      { files: FILES, args: ["-y"] },
    );
    await terminal.shows(ACCEPT);
    terminal.type("/diff\r");
    await terminal.shows("0 added, 1 changed, 0 removed since the checkpoint of ");
    expect(terminal.text).toEqual(expect.arrayContaining(["-zero", "+two"]));
    expect(terminal.text).not.toContain("-one");
    terminal.type("/diff last\r");
    await terminal.shows("0 added, 1 changed, 0 removed since the checkpoint of ", 2);
    expect(terminal.text).toEqual(expect.arrayContaining(["-one", "+two"]));
    terminal.type("/diff first\r");
    await terminal.shows("Expected /diff or /diff last, received 'first'.");
  });

  test("is bounded, and shows no control characters of files", async () => {
    const { terminal, write } = await openPseudoRun(box, `[${WRITE("a.txt", "one")}, ${DONE}]`, {
      files: FILES,
      args: ["-y"],
    });
    await terminal.shows(ACCEPT);
    write("c.txt", `\x1b[2J${"line\n".repeat(1_000)}`);
    terminal.type("/diff\r");
    await terminal.shows("more lines. The other direction of all of it: signalbox restore");
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
    await terminal.sees((text) => text.at(-1)?.startsWith("idle · code · claude") === true, "mode ask");
    terminal.type("/fork\r");
    await terminal.shows(`Forked ${original} at `);
    await terminal.shows("Type what to do next, or n/q to quit:");
    // The permission mode is that of the task before.
    terminal.type("/permissions\r");
    await terminal.shows("The permission mode is ask.");
    terminal.type("Where am I?\r");
    await terminal.shows("In the fork.");
    await terminal.sees((text) => text.at(-2)?.startsWith(ACCEPT) === true, "its question");
    terminal.type(`/resume ${original.slice(0, 8)}\r`);
    await terminal.shows("Leaving ");
    await terminal.sees((text) => text.at(-2)?.startsWith("Type what to do next") === true, "its question");
    terminal.type("And now?\r");
    await terminal.shows("In the original.");
    await terminal.sees((text) => text.at(-2)?.startsWith(ACCEPT) === true, "its question");
    terminal.type("\r");
    expect(await terminal.code).toBe(0);

    expect(taskIds()).toHaveLength(2);
    const fork = taskIds().find((id) => id !== original) ?? "";
    const shown = async (id: string) => (await does("show", id, "--data-dir", data)).stdout;
    expect(await shown(original)).not.toContain("In the fork.");
    expect(await shown(fork)).toContain("In the fork.");
    expect(await shown(fork)).not.toContain("In the original.");
    expect(bodies()).toContain("Where am I?");
    await terminal.shows(`To resume: signalbox run --session-id ${original}`);
  });

  test("/resume lists the tasks of the workspace, and continues the chosen one", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { prompt: "Say hello" });
    await terminal.shows(ACCEPT);
    terminal.type("/resume\r");
    await terminal.shows("There is no other task of this workspace.");
    terminal.type("/fork\r");
    await terminal.shows("Type what to do next");
    terminal.type("/resume\r");
    await terminal.shows("Continue which one? A number, or Enter for none:");
    expect(terminal.text.some((row) => /^ 1\. \w{8} {2}.* Say hello {2}\(completed\)$/.test(row))).toBe(true);
    terminal.type("7\r");
    await terminal.shows("Expected a number from 1 to 1, received '7'.");
    terminal.type("/resume\r");
    await terminal.sees((text) => text.at(-2)?.startsWith("Continue which one?") === true, "its question");
    terminal.type("1\r");
    await terminal.shows("Leaving ");
    await terminal.sees((text) => text.at(-2)?.startsWith("Type what to do next") === true, "its question");
    terminal.type("q\r");
    expect(await terminal.code).toBe(0);
  });

  test("a task without a start, and an unknown one, are refused, and the run goes on", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { prompt: undefined });
    await terminal.shows("Task prompt:");
    terminal.type("/fork\r");
    await terminal.shows("The task has not started. Type a prompt first.");
    terminal.type("/resume nothing\r");
    await terminal.sees((text) => /[Nn]o task .*nothing/.test(text.join("\n")), "what is unknown");
    terminal.type("Say hello\r");
    await terminal.shows(ACCEPT);
    terminal.type("/quit\r");
    expect(await terminal.code).toBe(0);
  });

  test("with --ephemeral there is no task to change to", async () => {
    const { terminal } = await openPseudoRun(box, `[{ text: Hello. }]`, { args: ["--ephemeral"] });
    await terminal.shows(ACCEPT);
    for (const [index, command] of ["/fork", "/resume", "/export"].entries()) {
      terminal.type(`${command}\r`);
      await terminal.shows("This run keeps nothing on disk (--ephemeral).", index + 1);
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
    terminal.type("/export\r");
    await terminal.shows("can't be written: EEXIST");
    terminal.type("/export talk.json\r");
    await terminal.shows("Written: ", 2);
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
    terminal.type("/init\r");
    await terminal.shows("> Look at this project and write AGENTS.md in its top folder");
    await terminal.shows(ACCEPT);
    expect(bodies()).toContain("write AGENTS.md in its top folder");
    expect(terminal.text.filter((row) => row.includes("write AGENTS.md in its top folder"))).toHaveLength(1);
    terminal.type("/init\r");
    await terminal.shows("Looked again.");
  });

  test("is queued while the task asks, and answers nothing", async () => {
    const { terminal, workspace, read } = await openPseudoRun(
      box,
      `[${WRITE("a.txt", "one")}, { text: End. }]`,
    );
    await terminal.shows("? y/n");
    terminal.type("/init\r");
    await terminal.shows("Queued for the next request.");
    expect(existsSync(path.join(workspace, "a.txt"))).toBe(false);
    await terminal.sees((text) => text.at(-2)?.includes("? y/n") === true, "the question of the task");
    terminal.type("y\r");
    await terminal.shows("End.");
    expect(read("a.txt")).toBe("one\n");
  });
});
