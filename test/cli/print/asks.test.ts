import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { completes, QUESTION, scriptByMode, subtask } from "../../support/subtasks.ts";
import { installed, type ScriptRun } from "../installed.ts";

const box = installed();

interface Run extends ScriptRun {
  /** What stands in the file that the script writes; undefined where it was not written. */
  readonly written: () => string | undefined;
}

/** A command on a script, in a workspace of its own, with an input that is no terminal. */
async function run(program: "roo" | "bin", script: string, ...args: readonly string[]): Promise<Run> {
  const begun = await box.onScript(script, ["-p", ...args], { program });
  const file = path.join(begun.workspace, "b.txt");
  return { ...begun, written: () => (existsSync(file) ? readFileSync(file, "utf8") : undefined) };
}

const WRITE = `{ tool: write_to_file, input: { path: b.txt, content: "two\\n" } }`;
const COMMAND = `{ tool: execute_command, input: { command: echo said } }`;
const ASK = `{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: red }, { text: blue }] } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

describe.concurrent("signalbox-roo -a, printing text", () => {
  test("asks y/n about each call, and follows the answers on stdin (L7)", async () => {
    const asked = await run("roo", `[${WRITE}, ${COMMAND}, ${COMMAND}, ${DONE}]`, "-a", "Go");
    const { process } = asked;
    await process.said("Allow it? (y/N, or what to do instead) ");
    expect(asked.written()).toBeUndefined();
    process.line("y");
    await process.said("Run it? (y/N, or what to do instead) ");
    process.line("n");
    await process.said("Run it?", 2);
    process.line("not this one");
    expect(await process.code).toBe(0);
    expect(process.stdout).toBe(
      [
        "[Tool Request] newFileCreated b.txt",
        "Asked because no rule allows write_to_file on 'b.txt'.",
        "Allow it? (y/N, or what to do instead) ",
        "[command request] echo said",
        "Asked because no rule allows 'echo said'.",
        "Run it? (y/N, or what to do instead) ",
        "[command request] echo said",
        "Asked because no rule allows 'echo said'.",
        "Run it? (y/N, or what to do instead) ",
        "[task complete] All done.",
        "",
      ].join("\n"),
    );
    expect(asked.written()).toBe("two\n");
    expect(asked.bodies()).toContain("not this one");
  });

  test("treats an ended input as a no to every call, and completes (L7)", async () => {
    const asked = await run("roo", `[${WRITE}, ${COMMAND}, ${DONE}]`, "-a", "Go");
    expect(await asked.process.end()).toBe(0);
    expect(asked.process.stdout.replaceAll(/.*[(]y.N.*\n/g, "")).toBe(
      [
        "[Tool Request] newFileCreated b.txt",
        "[rejected: no answer]",
        "[command request] echo said",
        "[rejected: no answer]",
        "[task complete] All done.",
        "",
      ].join("\n"),
    );
    expect(asked.written()).toBeUndefined();
  });

  test("a line that was sent before its question does not answer it (L7)", async () => {
    const script = `[[{ text: I think about it. }, { tool: list_files, input: { path: "." } }], ${WRITE}, ${DONE}]`;
    const asked = await run("roo", script, "-a", "Go");
    asked.process.line("y");
    await asked.process.said("Allow it?");
    asked.process.line("n\ny");
    await asked.process.said("Allow it?", 2);
    expect(asked.written()).toBeUndefined();
    expect(await asked.process.end()).toBe(0);
    expect(asked.written()).toBeUndefined();
  });

  test("a question accepts a number or a text, and with an ended input the run exits with code 1", async () => {
    const answered = await run("roo", `[${ASK}, ${ASK}, ${DONE}]`, "-a", "Go");
    await answered.process.said("A number, or your own answer: ");
    expect(answered.process.stdout).toContain("[question] Which?\n  1. red\n  2. blue\n");
    answered.process.line("2");
    await answered.process.said("A number", 2);
    answered.process.line("green");
    expect(await answered.process.code).toBe(0);
    expect(answered.bodies()).toContain("<user_message>\\nblue\\n");
    expect(answered.bodies()).toContain("<user_message>\\ngreen\\n");
    const alone = await run("roo", `[${ASK}, ${DONE}]`, "-a", "Go");
    expect(await alone.process.end()).toBe(1);
    expect(alone.process.stderr).toContain("[CLI] Error: the task asks followup (Which?)");
  });

  test("a failed request is retried after a y, and stays failed after a no, with code 1", async () => {
    const again = await run("roo", `[{ status: 400 }, ${DONE}]`, "-a", "Go");
    await again.process.said("Retry? (y/N) ");
    expect(again.process.stdout).toContain("[api request failed] 400");
    again.process.line("y");
    expect(await again.process.code).toBe(0);
    const rested = await run("roo", `[{ status: 400 }, ${DONE}]`, "-a", "Go");
    expect(await rested.process.end()).toBe(1);
    expect(rested.mock.requests).toHaveLength(1);
    expect(rested.process.stderr).toContain("nobody can answer");
  });

  test("a subtask's asks are asked like the task's own, its completion too", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("debug") },
      { mode: "debug", after: "ask_followup_question", turn: completes("One done.") },
      { mode: "debug", turn: QUESTION },
    );
    const { process } = await run("roo", script, "-a", "Go");
    await process.said("Allow it?");
    process.line("y");
    await process.said("A number");
    process.line("1");
    await process.said("Enter to accept, or what is missing: ");
    process.line("");
    expect(await process.code).toBe(0);
    expect(process.stdout.split("One done.")).toHaveLength(2);
    expect(process.stdout).toMatch(/\[subtask ended\]\n\[task complete\] All done\.\n$/);
  });
});

describe.concurrent("signalbox-roo, printing text with everything approved", () => {
  test("a question accepts an answer within one minute", async () => {
    const answered = await run("roo", `[${ASK}, ${WRITE}, ${DONE}]`, "Go");
    await answered.process.said("A number");
    answered.process.line("green");
    expect(await answered.process.code).toBe(0);
    expect(answered.bodies()).toContain("<user_message>\\ngreen\\n");
    expect(answered.written()).toBe("two\n");
  });

  test("a mistake limit is continued automatically, and the output says so", async () => {
    const wrong = "{ tool: write_to_file, input: {} }";
    const script = `[${wrong}, ${wrong}, ${DONE}]`;
    const lifted = await run("roo", script, "--consecutive-mistake-limit", "2", "Go");
    expect(await lifted.process.end()).toBe(0);
    expect(lifted.process.stdout).toMatch(/\[mistake limit reached\].*\n(.*\n)*\[continuing\]\n/);
  });

  test.each([
    ["that nobody can be asked about", [], "there is no terminal"],
    ["with --exit-on-error", ["--exit-on-error"], "--exit-on-error was given"],
  ])("a failed request %s is the end, with code 1, also while the input is open", async (_, flags, why) => {
    const failed = await run("roo", `[{ status: 400 }, ${DONE}]`, ...flags, "Go");
    expect(await failed.process.code).toBe(1);
    expect(failed.process.stderr).toContain("the task asks api_req_failed (400");
    expect(failed.process.stderr).toContain(why);
  });
});

describe.concurrent("signalbox --print", () => {
  test("asks nobody: a question ends it at once, with code 1 and its name, and its input is not read", async () => {
    const { process } = await run("bin", `[${ASK}, ${DONE}]`, "-y", "Go");
    expect(await process.code).toBe(1);
    expect(process.stdout).toBe("[question] Which?\n  1. red\n  2. blue\n");
    expect(process.stderr).toContain(
      "the task asks followup (Which?), which nobody can answer: this is print mode",
    );
  });
});
