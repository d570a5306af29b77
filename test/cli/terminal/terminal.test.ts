import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Terminal, type TerminalSettings } from "../../../cli/terminal/terminal.ts";
import { allowEverything, allowTodoList, askAPerson, defineTool, firstOf } from "../../../tools/index.ts";
import { DONE, openRig, type RigOptions } from "../../support/host.ts";
import { complete, scripted } from "../../support/model.ts";
import { stillClock } from "../../support/still-clock.ts";
import { type FakeOptions, FakeTerminal, NO_MODELS, NO_RULES } from "./fake-terminal.ts";

/** The terminal of a run, on a script. */
async function open(
  script: string,
  fake: FakeOptions = {},
  {
    settings,
    now: given,
    ...rigged
  }: Partial<RigOptions> & { settings?: Partial<TerminalSettings>; now?: () => number } = {},
) {
  const policy = firstOf(allowTodoList(), askAPerson());
  const rig = await openRig({ script, policy, ...rigged });
  const terminal = new FakeTerminal(fake);
  const left: number[] = [];
  let now = 0;
  const ui = new Terminal(
    rig.task,
    rig.host,
    {
      ...{ prompt: "Do it", isPlain: false, oneshot: false, exitOnError: false, isEphemeral: false },
      isVerbose: true,
      ...{
        dataDir: rig.dataDir,
        task: { configDir: rig.dataDir, modes: [] },
        secrets: [],
        rules: NO_RULES,
        model: NO_MODELS,
        ...settings,
      },
    },
    terminal.io,
    (code) => left.push(code),
    { now: given ?? (() => now) },
  );
  return {
    rig,
    terminal,
    ui,
    left,
    pass: (ms: number) => {
      now += ms;
    },
    async [Symbol.asyncDispose]() {
      ui.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const PLAN = `{ tool: update_todo_list, input: { todos: "[x] Look\\n[-] Change\\n[ ] Test" } }`;
const COMMAND = (command: string): string => `{ tool: execute_command, input: { command: ${command} } }`;
const MINUTE_MS = 60_000;
const FILES = { files: { "a.txt": "one\n" } };
const STATES = "no_task|running|streaming|waiting_for_input|completed|interrupted";
const escapes = (bytes: string): boolean => bytes.includes("\x1b");

describe("the status line", () => {
  test("shows the state that the task's messages imply, after each commit (L1)", async () => {
    await using run = await open(
      `[[{ text: I begin. }, ${WRITE}], ${COMMAND("echo said")}, ${DONE}]`,
      {},
      FILES,
    );
    const { rig, terminal, ui } = run;
    const pairs: string[] = [];
    const states = new RegExp(`\\x1b\\[1m(?:\\x1b\\[\\d+m)?(${STATES})\\x1b`, "g");
    rig.task.events$.subscribe(() => {
      // The screen draws at the end of this turn of the event loop, and its listener of the commits was called first.
      queueMicrotask(() => {
        const shown = [...terminal.bytes.matchAll(states)].at(-1)?.[1];
        pairs.push(`${rig.task.state.state}, shown ${shown}`);
      });
    });
    ui.start();
    await terminal.shows("or type what to do instead");
    await terminal.enter("y", "Run `");
    await terminal.enter("y", "Type what is missing");
    expect(new Set(pairs)).toEqual(
      new Set([
        ...["running", "streaming", "waiting_for_input"].map((state) => `${state}, shown ${state}`),
        "idle, shown completed",
      ]),
    );
  });

  test("shows mode, model, todo list, tokens, use of the window, cost and time, in the bottom row", async () => {
    await using run = await open(`[${PLAN}, ${DONE}]`, { columns: 110 });
    const { terminal, ui, pass } = run;
    ui.start();
    await terminal.shows("Type what is missing");
    pass(67_000);
    await terminal.type("x");
    await terminal.shows("1:07");
    expect(terminal.bottom).toMatch(
      /^completed · code · claude-sonnet-4-5 · 1\/3 done · [\d.]+k in, \d+ out · \d+ % of context · \$0\.\d{4} · 1:07$/,
    );
  });

  test("leaves out less important parts on a narrow terminal", async () => {
    await using run = await open(`[${DONE}]`, { columns: 30 });
    run.ui.start();
    await run.terminal.sees((text) => /^completed · \$0\.\d{4} · 0:00$/.test(text.at(-1) ?? ""));
  });
});

describe("on a terminal", () => {
  test("the status of a running tool call is the line that the next text replaces", async () => {
    let end = (): void => {};
    const index = defineTool({
      name: "index",
      description: "Indexes.",
      inputSchema: z.object({}),
      effect: "reads",
      execute: (_input, { progress }) => {
        progress({ icon: "sync", text: `1 of 2\n${"\u001b[31m"}files` });
        return new Promise<string>((resolve) => {
          end = () => resolve("Indexed.");
        });
      },
    });
    await using run = await open(
      `[{ tool: index, input: {} }, { text: All is well. }]`,
      {},
      { tools: [index], policy: allowEverything() },
    );
    const { terminal, ui } = run;
    ui.start();
    await terminal.shows("... 1 of 2 ");
    expect(terminal.text.find((line) => line.includes("1 of 2"))).not.toContain("\u001b[31m");
    end();
    await terminal.shows("All is well.");
    expect(terminal.text.join("\n")).not.toContain("1 of 2");
  });

  test("the model's text is rendered as markdown, its todo list and its edits are colored", async () => {
    await using run = await open(
      `[[{ text: "Some **bold** words." }, ${PLAN}, ${WRITE}], ${DONE}]`,
      {},
      FILES,
    );
    const { terminal, ui } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    expect(terminal.text).toContain("Some bold words.");
    expect(terminal.bytes).toContain("\x1b[1mbold\x1b[22m");
    expect(terminal.bytes).toContain("\x1b[31m-one\x1b[39m\n  \x1b[32m+two\x1b[39m");
    expect(terminal.bytes).toContain("\x1b[2m[x] Look\x1b[22m\n  \x1b[1m[-] Change\x1b[22m\n  [ ] Test\n");
  });

  test("a block that is not interpreted is shown by its type only", async () => {
    const block = "{ block: { type: compaction, content: long } }";
    await using run = await open(`[[${block}, { text: It is done. }]]`);
    run.ui.start();
    await run.terminal.shows("It is done.");
    expect(run.terminal.text).toContain("(compaction)");
    expect(run.terminal.bytes).not.toContain("long");
  });

  test("text typed while the agent works is queued, then sent to the model", async () => {
    await using run = await open(`[${COMMAND("mkfifo gate && echo begun && cat gate")}, ${DONE}]`);
    const { terminal, ui, rig } = run;
    ui.start();
    await terminal.shows("Run `");
    await terminal.enter("y", "  begun");
    await terminal.enter("and say why", "Queued for the next request: and say why");
    await terminal.shows("1 queued");
    await writeFile(path.join(rig.dir, "gate"), "");
    await terminal.shows("Type what is missing");
    expect(JSON.stringify(rig.sent())).toContain("and say why");
  });

  test("a slash command is run, answers nothing, and is not sent to the model", async () => {
    await using run = await open(`[${WRITE}, ${DONE}]`, { rows: 60 }, FILES);
    const { terminal, ui, rig } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    for (const [line, shown] of [
      ["/help", "/messages [N]"],
      ["/state", "waiting_for_input, ask tool, needs approve."],
      ["/mode", "The mode is code."],
      ["/mode two words", "The mode is invalid"],
      ["/mode debug", "The mode is debug. Open asks are judged again now"],
      ["/cost", "Total: "],
      ["/messages 1", "messages, the last 1:"],
      ["/stat", "Did you mean /state?"],
    ] as const)
      await terminal.enter(line, shown);
    // The call is judged again in the new mode.
    await rig.ask("tool");
    expect(rig.task.state.state).toBe("waiting_for_input");
    await terminal.enter("y", "Type what is missing");
    expect(JSON.stringify(rig.sent())).not.toContain("/state");
    expect(rig.task.snapshot.context.mode).toBe("debug");
  });

  test("/model lists the profiles, and selects the model of the next request", async () => {
    const model = (id: string) => ({ ...scripted(() => () => complete()), id, provider: "elsewhere" });
    const named = { fast: model("quick-1"), team: model("slow-1"), "openai/gpt-5": model("gpt-5") };
    const problem =
      "profile team: expected its API key in the environment variable TEAM_KEY, which is not set.";
    const settings = {
      model: { profiles: [{ name: "team", provider: "anthropic" as const, model: "slow-1", problem }] },
    };
    await using run = await open(
      `[${WRITE}, ${DONE}]`,
      { rows: 60, columns: 120 },
      { ...FILES, models: { named }, settings },
    );
    const { terminal, ui, rig } = run;
    ui.start();
    await terminal.shows("? y/n");
    for (const [line, shown] of [
      ["/model", "The model is default, claude-sonnet-4-5 (anthropic)."],
      ["/model", "> default  claude-sonnet-4-5 (anthropic)"],
      ["/model", "  fast  quick-1 (elsewhere)"],
      ["/model", "  team  slow-1 (elsewhere)  (no key)"],
      ["/model gone", "The profile is invalid: expected one of default, fast, team"],
      ["/model", "Other models: openai/gpt-5"],
      ["/model openai/gpt-0", "openai/gpt-0 is not known in this run."],
      ["/model team", problem],
      ["/model openai/gpt-5", "The model is openai/gpt-5 from the next request on."],
      ["/model fast", "The model is fast from the next request on."],
      ["/model ", "> fast  quick-1 (elsewhere)"],
    ] as const) {
      await terminal.enter(line, shown);
      await rig.task.flushed();
    }
    expect(rig.task.state.state).toBe("waiting_for_input");
    await terminal.enter("y", "Type what is missing");
    expect(rig.task.snapshot.context.model?.id).toBe("quick-1");
  });

  test("/compact condenses the conversation with the next request, and /state shows its tokens", async () => {
    const script = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: "The user greeted." }]
turns:
  - { text: "${"One. ".repeat(100)}" }
  - { text: Two. }`;
    const prompt = { settings: { prompt: undefined }, anthropic: { contextWindow: 10_000 } };
    await using run = await open(script, { rows: 60, columns: 200 }, prompt);
    const { terminal, ui, rig } = run;
    ui.start();
    await terminal.shows("Task prompt:");
    await terminal.enter("/compact", "has no conversation to condense: run it first.");
    await terminal.enter("Hello", "One. One.");
    await terminal.enter("Hello again", "Two.");
    await terminal.sees((text) => text.filter((row) => row.startsWith("Type what is missing")).length === 2);
    const { contextTokens } = rig.task.snapshot.context;
    const share = Math.round(contextTokens / 100);
    await terminal.enter("/state", `Context: ${contextTokens} of 10000 tokens (${share} %)`);
    await terminal.enter("/compact two words", "The next request condenses the conversation.");
    await rig.task.flushed();
    await terminal.enter("/state", `(${share} %); condensed with the next request`);
    expect(rig.task.snapshot.context.compaction).toMatchObject({ instructions: "two words" });
    await terminal.enter("Go on", "Go on");
    await terminal.sees((text) => text.filter((row) => row.startsWith("-- streaming -> idle")).length === 3);
    expect(JSON.stringify(rig.sent())).toContain("<user_message>\\ntwo words\\n</user_message>");
    expect(rig.task.snapshot.context.compaction).toBeNull();
  });

  test("/state shows the tokens alone where the context window is unknown", async () => {
    await using run = await open(
      `[${WRITE}, ${DONE}]`,
      { rows: 60 },
      { ...FILES, anthropic: { model: "unknown" } },
    );
    const { terminal, ui, rig } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    await terminal.enter("/state", "Context: ");
    expect(terminal.text).toContain(`Context: ${rig.task.snapshot.context.contextTokens} tokens`);
  });

  test("/cancel cancels the task, and /quit exits with code 0", async () => {
    await using run = await open(`[${WRITE}, ${DONE}]`, {}, FILES);
    const { terminal, ui, left } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    await terminal.enter("/cancel", "Enter to resume");
    expect(left).toEqual([]);
    await terminal.type("/quit\r");
    expect(left).toEqual([0]);
  });

  test("/pause lets the turn end, and then the terminal says that the task is paused", async () => {
    await using run = await open(`[${WRITE}, ${DONE}]`, {}, FILES);
    const { terminal, ui } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    await terminal.enter("/pause", "The task rests before its next request.");
    await terminal.enter("y", "The task is paused.");
    await terminal.shows("Enter to resume");
    expect(terminal.text.join("\n")).not.toContain("interrupted");
    await terminal.enter("", "Type what is missing");
  });

  test("a wake-up continues the task while the terminal asks what to do next, and is shown (WAKE)", async () => {
    const clock = stillClock();
    const { now } = clock;
    const options = { completion: "end_turn", host: { clock }, now } as const;
    await using run = await open("[{ text: Zero. }, { text: Woken. }]", {}, options);
    run.ui.start();
    await run.terminal.shows("Type what is missing");
    await run.terminal.enter("/wake soon", "Expected /wake MINUTES TEXT");
    await run.terminal.enter("/wake every 60 Look around.", "Scheduled.");
    await run.terminal.enter("/wake", ", every 60 minutes: Look around.");
    await run.terminal.enter("/wake off", "No wake-up is scheduled any more.");
    await run.terminal.enter("/wake", "No wake-up is scheduled.");
    clock.advance(MINUTE_MS);
    await run.terminal.enter("/wake 5 Look at the build.", "Scheduled.");
    await run.rig.task.flushed();
    expect(run.rig.task.snapshot.context.wakeUps).toMatchObject([{ at: 6 * MINUTE_MS }]);
    clock.advance(5 * MINUTE_MS);
    await run.terminal.shows("> Wake-up: Look at the build.");
    await run.terminal.shows("Woken.");
  });

  test("the first Ctrl-C cancels the task, the second exits with code 130", async () => {
    await using run = await open(`[${WRITE}, ${DONE}]`, {}, FILES);
    const { terminal, ui, left } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    await terminal.type("\x03");
    await terminal.shows("Enter to resume");
    expect(left).toEqual([]);
    await terminal.type("\x03");
    expect(left).toEqual([130]);
  });

  test("a user who ends the input before there is a prompt quits", async () => {
    await using run = await open(`[${DONE}]`, {}, { settings: { prompt: undefined } });
    const { terminal, ui, left } = run;
    ui.start();
    await terminal.shows("Task prompt:");
    await terminal.type("\x04");
    expect(left).toEqual([0]);
  });

  test("input of an earlier run is recalled with the up key", async () => {
    await using run = await open(`[${DONE}]`, {}, { settings: { prompt: undefined } });
    const { terminal, ui, rig } = run;
    await mkdir(rig.dataDir, { recursive: true });
    await writeFile(path.join(rig.dataDir, "prompt-history"), '"an old prompt"\n');
    const again = new FakeTerminal();
    ui.close();
    const settings = { prompt: undefined, isPlain: false, oneshot: false, exitOnError: false };
    const next = new Terminal(
      rig.task,
      rig.host,
      {
        ...settings,
        isEphemeral: false,
        dataDir: rig.dataDir,
        task: { configDir: rig.dataDir, modes: [] },
        secrets: [],
        rules: NO_RULES,
        model: NO_MODELS,
      },
      again.io,
      () => {},
    );
    next.start();
    await again.type("\x1b[A");
    await again.shows("Task prompt: an old prompt");
    next.close();
    expect(terminal.text).toEqual([]);
  });

  test("after it is closed only the text is left", async () => {
    await using run = await open(`[${DONE}]`);
    const { terminal, ui } = run;
    ui.start();
    await terminal.shows("Type what is missing");
    await terminal.type("y\r");
    ui.close();
    await terminal.sees((text) => !text.some((row) => row.startsWith("completed ·")));
    expect(terminal.bottom).toBe("Type what is missing, y to accept, q to leave: y");
  });
});

describe("where no escapes are wanted", () => {
  const SCRIPT = `[[{ text: "# Title\\n\\nSome **bold** words." }, ${PLAN}, ${WRITE}], ${DONE}]`;

  test.each([
    ["TERM=dumb", { env: { TERM: "dumb" } }],
    ["no terminal", { isTTY: false }],
  ] as const)("with %s a run is shown and answered without a single one", async (_, fake) => {
    await using run = await open(SCRIPT, fake, FILES);
    const { terminal, ui, left, rig } = run;
    ui.start();
    await terminal.shows("or type what to do instead");
    // What is rubbed out on a terminal is never sent by anything else.
    await terminal.enter("isTTY" in fake ? "yes\r" : "yex\x7fs", "Type what is missing");
    expect(await rig.file("a.txt")).toBe("two\n");
    await terminal.type("y\r");
    expect(left).toEqual([0]);
    expect(terminal.text).toContain("Some **bold** words.");
    expect(terminal.text.join("\n")).toContain("-- streaming -> waiting_for_input");
    expect(escapes(terminal.bytes)).toBe(false);
  });
});
