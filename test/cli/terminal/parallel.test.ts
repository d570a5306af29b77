import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Terminal } from "../../../cli/terminal/terminal.ts";
import { allowEverything, allowSubtasks, builtinTools, type Policy } from "../../../tools/index.ts";
import { openRig } from "../../support/host.ts";
import { parallelScript, writingSubtasks } from "../../support/parallel-script.ts";
import { askOf, completes, MODES, openedTask, scriptByMode, subtask } from "../../support/subtasks.ts";
import { FakeTerminal, NO_MODELS, NO_RULES } from "./fake-terminal.ts";

const command = (mode: string): string =>
  `{ tool: execute_command, input: { command: "echo ${mode} runs; mkfifo ${mode} && cat ${mode}" } }`;

const COMMANDS = parallelScript(["one", "two"], { tool: "execute_command", call: command });

/** The terminal of a run whose subtasks work at the same time. */
async function open(script: string, policy = allowSubtasks()) {
  const rig = await openRig({ script, policy, modes: MODES, tools: [...builtinTools()] });
  const terminal = new FakeTerminal({ rows: 80, columns: 120 });
  const left: number[] = [];
  const ui = new Terminal(
    rig.task,
    rig.host,
    {
      ...{ prompt: "Do it", isPlain: false, oneshot: false, exitOnError: false, isEphemeral: false },
      ...{ dataDir: rig.dataDir, secrets: [], rules: NO_RULES, model: NO_MODELS },
      task: { configDir: rig.dataDir, modes: [] },
    },
    terminal.io,
    (code) => left.push(code),
  );
  ui.start();
  return {
    ...{ rig, terminal, left },
    childId: (number: number): string => `${rig.task.id}.${number}`,
    async [Symbol.asyncDispose]() {
      ui.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

/** A run whose subtasks both ask whether they may write: the number of the one whose question is shown, and of the other. */
async function openAsking() {
  const run = await open(writingSubtasks("one", "two"));
  const { rig, terminal, childId } = run;
  const asks = await Promise.all([1, 2].map((number) => askOf(rig.host, childId(number), "tool")));
  await terminal.shows("what to do instead:");
  const first = terminal.text.join("\n").includes("Subtask 1: Create") ? 1 : 2;
  return { ...run, asks, first, second: 3 - first };
}

const file = (number: number): string => ["", "one.txt", "two.txt"][number] ?? "";

describe("two subtasks that ask at once", () => {
  test("are asked about one after the other, each by its number, and each gets its own answer (L7)", async () => {
    await using run = await openAsking();
    const { rig, terminal, first, second, left } = run;
    const ends = Promise.all([first, second].map((number) => openedTask(rig.host, run.childId(number))));
    const [one, two] = await ends;
    const question = `Subtask ${second}: Create ${file(second)} (+1)?`;
    expect(terminal.text.join("\n")).not.toContain(question);
    expect(terminal.bottom).toContain("2 subtasks");
    await terminal.enter("no, not that one", question);
    await terminal.enter("y", "Type what is missing");
    expect(one?.log.toArray().filter(({ say }) => say === "user_feedback")).toMatchObject([
      { text: "no, not that one" },
    ]);
    expect(two?.log.toArray().some(({ text }) => text === "no, not that one")).toBe(false);
    expect(terminal.text.join("\n")).toMatch(/== Subtask \d ended/);
    await terminal.type("y\r");
    expect(left).toEqual([0]);
  });

  test("have their call shown again above the question, where another subtask has spoken since", async () => {
    await using run = await open(writingSubtasks("one", "two", "three"));
    const { rig, terminal, childId } = run;
    await Promise.all([1, 2, 3].map((number) => askOf(rig.host, childId(number), "tool")));
    const calls = (): readonly string[] => terminal.text.filter((row) => row.startsWith("* New file "));
    await terminal.sees(() => calls().length === 3);
    for (const left of [2, 1]) {
      await terminal.type("n\r");
      await terminal.sees(
        (text) => text.filter((row) => /^Subtask \d: Create /.test(row)).length === 4 - left,
      );
    }
    expect(calls().slice(3).length).toBeGreaterThan(0);
    await terminal.enter("n", "Type what is missing");
  });

  test("a question that another client answers is replaced by the next one, and what was typed of its answer is dropped", async () => {
    await using run = await openAsking();
    const { terminal, asks, first, second } = run;
    await terminal.type("y");
    asks[first - 1]?.reject({ text: "elsewhere" });
    await terminal.shows(`Subtask ${second}: Create ${file(second)} (+1)?`);
    await terminal.enter("", "Please answer y or n.");
    await terminal.enter("y", "Type what is missing");
  });

  test("a question that is withdrawn by the cancel of its subtask is replaced by the next one, and the parent goes on", async () => {
    await using run = await openAsking();
    const { rig, terminal, first, second } = run;
    await terminal.enter(`/tasks cancel ${first}`, `Subtask ${second}: Create ${file(second)} (+1)?`);
    await terminal.enter("y", "Type what is missing");
    expect(terminal.text.join("\n")).toContain(`Subtask ${first} is cancelled`);
    expect(JSON.stringify(rig.sent().at(-1))).toContain(`${run.childId(first)}`);
  });

  test("are listed by /tasks as asking while a person has not accepted their results", async () => {
    const script = scriptByMode(
      { mode: "code", turn: `[${subtask("one")}, ${subtask("two")}]` },
      ...["one", "two"].map((mode) => ({ mode, turn: completes("It is done.") })),
    );
    const onlyStart: Policy = ({ tool }) =>
      tool.effect === "delegates" ? { kind: "allow", rule: "start" } : { kind: "ask" };
    await using run = await open(script, onlyStart);
    const { rig, terminal, childId } = run;
    await Promise.all([1, 2].map((number) => askOf(rig.host, childId(number), "completion")));
    await terminal.enter("/tasks", "asks whether its result is accepted");
    const rows = terminal.text.filter((row) => row.includes("asks whether its result is accepted"));
    expect(rows.map((row) => row.trim().slice(0, 9))).toEqual(["Subtask 1", "Subtask 2"]);
  });

  test("are listed by /tasks with what they wait for, and a person chooses the one that messages go to", async () => {
    await using run = await openAsking();
    const { rig, terminal, first, second } = run;
    await terminal.enter("/tasks", "waits for 2 subtasks");
    const rows = terminal.text.filter((row) => row.includes("asks: "));
    expect(rows).toEqual([1, 2].map((number) => expect.stringContaining(`  Subtask ${number} `)));
    expect(rows).toEqual([1, 2].map((number) => expect.stringContaining(`Create ${file(number)} (+1)?`)));
    expect(rows[first - 1]).toContain("(yours)");
    await terminal.enter(`/tasks ${second}`, `are for subtask ${second} until it ends`);
    await terminal.enter("/state", "waiting_for_input, ask tool");
    await terminal.enter("/mode three", "The mode is three.");
    await rig.host.tasks.get(run.childId(second))?.flushed();
    expect(rig.host.tasks.get(run.childId(second))?.snapshot.context.mode).toBe("three");
    await terminal.enter("/tasks 7", "Expected the number of a subtask that works: 1, 2");
    await terminal.enter("/tasks 0", "for the subtask that asks or works");
  });
});

describe("a key with a number", () => {
  test("answers the subtask that asks only if the number is its own (L7)", async () => {
    await using run = await openAsking();
    const { rig, terminal, first, second } = run;
    for (const key of ["y", "n", "always", "q"])
      await terminal.enter(`${key} ${second}`, `asks now. Answer it with ${key} alone, or wait until`);
    await terminal.enter(`k ${second}`, "Expected k and the number of a subtask whose command runs: none.");
    await terminal.enter("y 1.7", "or wait until subtask 1.7 asks.");
    expect(rig.task.treeAsks).toHaveLength(2);
    expect(run.left).toEqual([]);
    await terminal.enter(`n ${first}`, `Subtask ${second}: Create ${file(second)} (+1)?`);
    await terminal.enter(`y ${second}`, "Type what is missing");
    await expect(rig.file(file(first))).rejects.toThrow("ENOENT");
    expect(await rig.file(file(second))).toContain("\n");
  });

  /** Subtask 1 runs a command, and subtask 2 calls another tool. */
  const besideCommand = (tool: string, input: string): string =>
    scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: `[${subtask("one")}, ${subtask("two")}]` },
      { mode: "one", after: "execute_command", turn: completes("One done.") },
      { mode: "one", turn: command("one") },
      { mode: "two", after: tool, turn: completes("Two done.") },
      { mode: "two", turn: `{ tool: ${tool}, input: ${input} }` },
    );

  test("terminates the command of its subtask while another one asks, and the question stays (L7)", async () => {
    const script = besideCommand("write_to_file", "{ path: two.txt, content: two }");
    const asksAboutWrites: Policy = ({ tool }) =>
      tool.effect === "writes" ? { kind: "ask" } : { kind: "allow", rule: "others" };
    await using run = await open(script, asksAboutWrites);
    const { rig, terminal, childId } = run;
    await Promise.all([askOf(rig.host, childId(1), "command_output"), askOf(rig.host, childId(2), "tool")]);
    await terminal.shows("Subtask 2: Create two.txt");
    await terminal.enter("k", "Expected k and the number of a subtask whose command runs: 1.");
    await terminal.enter("k 2", "Expected k and the number of a subtask whose command runs: 1.");
    expect(rig.task.treeAsks.map(({ ask }) => ask.kind).sort()).toEqual(["command_output", "tool"]);
    await terminal.enter("k 1", "The command was terminated.");
    await terminal.shows("== Subtask 1 ended");
    await terminal.enter("y", "Type what is missing");
    expect(await rig.file("two.txt")).toBe("two");
  });

  test("is no key of a command where it is missing and a question of the model is open", async () => {
    const question = "{ question: Which key?, follow_up: [{ text: left }] }";
    await using run = await open(besideCommand("ask_followup_question", question), allowEverything());
    const { rig, terminal, childId } = run;
    await Promise.all([
      askOf(rig.host, childId(1), "command_output"),
      askOf(rig.host, childId(2), "question"),
    ]);
    await terminal.shows("(q quits):");
    await terminal.enter("k", "== Subtask 2 ended");
    expect(JSON.stringify(rig.sent())).toContain("<user_message>\\nk\\n</user_message>");
    await terminal.enter("k", "The command was terminated.");
    await terminal.shows("Type what is missing");
  });
});

describe("two subtasks that run commands at once", () => {
  test("are terminated by their number, and k alone terminates neither", async () => {
    await using run = await open(COMMANDS, allowEverything());
    const { rig, terminal } = run;
    await Promise.all([1, 2].map((number) => askOf(rig.host, run.childId(number), "command_output")));
    await terminal.enter("k", "Expected k and the number of a subtask whose command runs: ");
    await terminal.enter("k 2", "The command was terminated.");
    await terminal.shows("== Subtask 2 ended");
    expect(rig.host.tasks.has(run.childId(1))).toBe(true);
    await writeFile(path.join(rig.dir, "one"), "");
    await terminal.shows("== Subtask 1 ended");
    await terminal.shows("Type what is missing");
  });
});
