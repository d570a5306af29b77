import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const COMMAND = (command: string): string =>
  `{ tool: execute_command, input: { command: ${JSON.stringify(command)} } }`;
const WRITE = (content: string): string =>
  `{ tool: write_to_file, input: { path: src/a.txt, content: "${content}\\n" } }`;
const QUESTION = `{ tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: blue }] } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

const SHIFT_TAB = "\x1b[Z";

const SETTINGS = ".signalbox/settings.yaml";

/** A run on a pseudo-terminal, in a project with these settings. */
async function open(
  turns: readonly string[],
  { project, args = [] }: { project?: string; args?: string[] } = {},
) {
  const files = project === undefined ? {} : { [SETTINGS]: project };
  const run = await openPseudoRun(box, `[${turns.join(", ")}]`, { files, args });
  return {
    ...run,
    settings: () => run.read(SETTINGS),
    file: path.join(run.workspace, SETTINGS),
  };
}

/** The rows of the commands and calls that were shown. */
const titles = (text: readonly string[]): readonly string[] => text.filter((row) => /^[$*] /.test(row));

describe.skipIf(!hasPseudoTerminal)("at an ask on a terminal", () => {
  test("always in the project saves the rule that was shown, which allows from then on, until it is removed", async () => {
    const { terminal, journal, settings, does, data, workspace } = await open([
      COMMAND("echo one two"),
      COMMAND("echo one two"),
      QUESTION,
      COMMAND("echo one two"),
      DONE,
    ]);
    await terminal.shows("asked because no rule allows 'echo one two'");
    await terminal.shows("? y/n/always/q, or type what to do instead:");
    terminal.type("a\r");
    await terminal.shows("> 1. command(echo one two)");
    await terminal.shows(
      "Always allow command(echo one two)? s: in this session, p: in the project's settings",
    );
    expect(readdirSync(workspace)).not.toContain(".signalbox");
    terminal.type("2\r");
    await terminal.shows("> 2. command(echo one *)");
    terminal.type("p\r");
    await terminal.shows("Allowed in this project: command(echo one *)");
    expect(settings()).toBe("version: 1\npermissions:\n  allow:\n    - command(echo one *)\n");

    await terminal.shows("A number, or your own answer");
    expect(titles(terminal.text)).toContain("$ echo one two");
    expect(titles(terminal.text).at(-1)).toBe(
      "$ echo one two  (command(echo one *) in .signalbox/settings.yaml:4)",
    );
    expect(journal()).toContain("command(echo one *) in .signalbox/settings.yaml:4");
    terminal.type("/permissions\r");
    await terminal.shows("allow command(echo one *)  (.signalbox/settings.yaml:4)");
    terminal.type("/permissions remove command(echo one *)\r");
    await terminal.shows("Removed: allow command(echo one *)  (.signalbox/settings.yaml:4)");
    expect(settings()).not.toContain("echo");
    terminal.type("1\r");
    await terminal.shows("asked because no rule allows 'echo one two'", 2);
    terminal.type("y\r");
    await terminal.shows("Type what is missing");
    terminal.type("y\r");
    expect(await terminal.code).toBe(0);

    // The project stays trusted, and a task that is shown names the rule, too.
    expect((await does("config", "trust")).stdout).toContain("is trusted already");
    const [task = ""] = readdirSync(path.join(data, "tasks"));
    expect((await does("show", task, "--data-dir", data)).stdout).toContain(
      "$ echo one two  (command(echo one *) in .signalbox/settings.yaml:4)",
    );
  });

  test("always in the session allows from then on, and writes no file", async () => {
    const { terminal, journal, workspace, read } = await open([WRITE("one"), WRITE("two"), DONE]);
    await terminal.shows("? y/n/always/e(dit)/q");
    terminal.type("a\r");
    await terminal.shows("Always allow edit(src/a.txt)?");
    terminal.type("no idea\r");
    await terminal.shows("? y/n/always/e(dit)/q", 2);
    terminal.type("a\r");
    await terminal.shows("Always allow edit(src/a.txt)?", 2);
    terminal.type("s\r");
    await terminal.shows("Type what is missing");
    expect(terminal.text.join("\n")).toContain("(edit(src/a.txt) in this session)");
    expect(journal()).toContain("edit(src/a.txt) in this session");
    expect(read("src/a.txt")).toBe("two\n");
    expect(readdirSync(workspace)).not.toContain(".signalbox");
  });

  test("always at a line of several commands has the rules of those that no rule allows yet", async () => {
    const line = COMMAND("echo one && ls src");
    const { terminal } = await open([line, line, line, DONE]);
    await terminal.shows("? y/n/always/q");
    terminal.type("a\r");
    await terminal.shows("> 1. command(echo one)");
    await terminal.shows("  2. command(ls src)");
    terminal.type("s\r");
    await terminal.shows("? y/n/always/q", 2);
    terminal.type("a\r");
    await terminal.shows("> 1. command(ls src)");
    terminal.type("s\r");
    await terminal.shows("Type what is missing");
    expect(titles(terminal.text)).toHaveLength(3);
  });

  test("always is not offered where no rule is suggested, nor with -a", async () => {
    const { terminal } = await open([COMMAND("echo one; echo two > out"), DONE]);
    await terminal.shows("? y/n/q, or type what to do instead:");
    const asking = await open([COMMAND("echo one"), DONE], { args: ["-a"] });
    await asking.terminal.shows("? y/n/q, or type what to do instead:");
  });

  test("a rule is not saved in settings that are not trusted, and the call is asked about again", async () => {
    const project = "version: 1 # theirs\npermissions: { mode: auto }\n";
    const { terminal, settings, does } = await open([COMMAND("echo one"), DONE], { project });
    await terminal.shows("? y/n/always/q");
    terminal.type("a\r");
    await terminal.shows("Always allow command(echo one)?");
    terminal.type("p\r");
    await terminal.shows("are not trusted, so a rule in them would not allow anything");
    await terminal.shows("? y/n/always/q", 2);
    expect(settings()).toBe(project);
    expect((await does("config", "show", "--format", "json")).stdout).toContain('"isTrusted":false');
  });
});

describe.skipIf(!hasPseudoTerminal)("while a task runs on a terminal", () => {
  test("Shift+Tab selects the next permission mode but bypass, and what waits is judged by it", async () => {
    const { terminal, journal } = await open([COMMAND("echo one"), DONE], {
      args: ["--permission-mode", "plan"],
    });
    await terminal.shows("Type what is missing");
    const modes: string[] = [];
    for (const mode of ["", "auto-edit", "auto", "plan"]) {
      terminal.type(SHIFT_TAB);
      const status = mode === "" ? "completed · code · claude" : `completed · code · ${mode} · claude`;
      await terminal.sees((text) => text.at(-1)?.startsWith(status) === true, status);
      modes.push(mode);
    }
    expect(journal()).not.toContain("bypass");
    terminal.type("/permissions bypass\r");
    await terminal.sees((text) => text.at(-1)?.startsWith("completed · code · bypass") === true, "bypass");
    terminal.type(SHIFT_TAB);
    await terminal.sees((text) => text.at(-1)?.startsWith("completed · code · plan") === true, "plan");
  });

  test("Shift+Tab at an open question runs nothing: the looser mode is pending until the answer", async () => {
    const { terminal, journal, workspace } = await open([COMMAND("echo one > ran.txt"), DONE]);
    await terminal.shows("? y/n");
    terminal.type(SHIFT_TAB);
    await terminal.sees(
      (text) => text.at(-1)?.includes("ask · auto-edit pending") === true,
      "auto-edit pending",
    );
    terminal.type(SHIFT_TAB);
    await terminal.sees((text) => text.at(-1)?.includes("ask · auto pending") === true, "auto pending");
    terminal.type("/permissions bypass\r");
    await terminal.shows("The permission mode is bypass after your answer to the open question.");
    expect(existsSync(path.join(workspace, "ran.txt"))).toBe(false);
    expect(journal()).not.toContain("permissions_changed");
    terminal.type("y\r");
    await terminal.shows("Type what is missing");
    expect(existsSync(path.join(workspace, "ran.txt"))).toBe(true);
    await terminal.sees(
      (text) => text.at(-1)?.startsWith("completed · code · bypass · claude") === true,
      "bypass",
    );
  });

  test("commands and keys in a row each change what the one before has left", async () => {
    const { terminal } = await open([DONE], { args: ["--permission-mode", "plan"] });
    await terminal.shows("Type what is missing");
    terminal.type("/permissions deny edit(a)\r/permissions deny edit(b)\r/permissions deny edit(c)\r");
    await terminal.shows("deny edit(c), in this session.");
    terminal.type(SHIFT_TAB.repeat(3));
    await terminal.sees(
      (text) => text.at(-1)?.startsWith("completed · code · auto · claude") === true,
      "auto",
    );
    terminal.type("/permissions\r");
    for (const name of ["a", "b", "c"]) await terminal.shows(`  deny edit(${name})  (this session)`);
  });

  test("Shift+Tab at an open question leaves out plan, which /permissions selects: that withdraws it and denies its call", async () => {
    const { terminal, workspace } = await open([WRITE("one"), DONE], { args: ["--permission-mode", "ask"] });
    await terminal.shows("? y/n");
    for (const mode of ["auto-edit", "auto"]) {
      terminal.type(SHIFT_TAB);
      await terminal.sees((text) => text.at(-1)?.includes(`${mode} pending`) === true, mode);
    }
    terminal.type(SHIFT_TAB);
    await terminal.sees((text) => text.at(-1)?.includes("pending") === false, "ask again");
    terminal.type("/permissions plan\r");
    await terminal.shows("Type what is missing");
    expect(existsSync(path.join(workspace, "src"))).toBe(false);
    expect(terminal.text.join("\n")).toContain("The permissions have changed.");
  });

  test("/permissions changes rules of the session, and says what is valid", async () => {
    const { terminal, workspace } = await open([WRITE("one"), DONE]);
    await terminal.shows("? y/n");
    terminal.type("/permissions allow run(x)\r");
    await terminal.shows("The rule 'run(x)' is not valid: expected one of read(GLOB)");
    terminal.type("/permissions autoedit\r");
    await terminal.shows("Expected a permission mode (plan, ask, auto-edit, auto, bypass)");
    terminal.type("/permissions remove edit(x)\r");
    await terminal.shows("There is no rule 'edit(x)'");
    terminal.type("/permissions remove read(**)\r");
    await terminal.shows("allow read(**)  (built-in rules) stays");
    terminal.type("/permissions ask edit(src/**)\r");
    await terminal.shows("asked because edit(src/**) in this session matches");
    terminal.type("/permissions deny edit(src/**)\r");
    await terminal.shows("Type what is missing");
    expect(existsSync(path.join(workspace, "src"))).toBe(false);
    terminal.type("/permissions remove edit(src/**)\r");
    await terminal.shows("Name one: /permissions remove ask edit(src/**)");
    terminal.type("/permissions remove deny edit(src/**)\r");
    await terminal.shows("Removed: deny edit(src/**)  (this session)");
  });

  test("/mode lists the modes, and marks the current one", async () => {
    const { terminal } = await open([DONE], { args: ["--mode", "debug"] });
    await terminal.shows("Type what is missing");
    terminal.type("/mode\r");
    await terminal.shows("> debug  Debug  (built in)");
    await terminal.shows("  code  Code  (built in)");
  });
});
