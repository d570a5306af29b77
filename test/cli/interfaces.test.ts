import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { Terminal } from "../../cli/terminal/terminal.ts";
import {
  connect,
  connectTask,
  type ExtensionClient,
  REMOTE_ARGUMENTS,
  type TaskInterface,
} from "../../client/index.ts";
import { ASKS, isAskType } from "../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../machines/message/detect.ts";
import { createHost } from "../../runtime/host.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { memoryJournal } from "../../store/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { allowEverything, type Policy } from "../../tools/index.ts";
import type { ParsedJsonEvent } from "../../wire/ndjson/event.ts";
import { installed } from "./installed.ts";
import { StreamProcess } from "./stream/stream-process.ts";
import { FakeTerminal, NO_MODELS, NO_RULES } from "./terminal/fake-terminal.ts";

const box = installed();

/** A write that is approved, a command that is rejected, a question, a failure that is tried again, a completion. */
const SCRIPT = `turns:
  - - { text: I write it. }
    - { tool: write_to_file, input: { path: b.txt, content: one } }
  - { tool: execute_command, input: { command: "echo hello" } }
  - { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: blue }] } }
  - { status: 400 }
  - { tool: attempt_completion, input: { result: Done. } }
`;
/** The same without what only a person can answer. */
const ALONE = `turns:
  - - { text: I write it. }
    - { tool: write_to_file, input: { path: b.txt, content: one } }
  - { tool: execute_command, input: { command: "echo hello" } }
  - { tool: attempt_completion, input: { result: Done. } }
`;
const MODEL = "claude-sonnet-5-5";

function answer(ask: Ask): void {
  if (ask.kind === "tool") ask.approve();
  if (ask.kind === "command") ask.reject({ text: "not now" });
  if (ask.kind === "question") ask.answer("blue");
  if (ask.kind === "failure") ask.approve();
}

/** A sequence of states, each with the ask that it is about: one that is the same as the one before it is not told. */
class Seen {
  readonly states: string[] = [];

  add(state: string, ask = ""): void {
    const now = `${state} ${ask}`.trim();
    if (this.states.at(-1) !== now) this.states.push(now);
  }
}

/** What can be told by a face that tells asks alone. */
const asksIn = (states: readonly string[]): readonly string[] =>
  states.filter((state) => /^(?:waiting_for_input|idle|resumable) /.test(state));

/** What can be told by a face that tells states without their asks. */
function namesIn(states: readonly string[]): readonly string[] {
  const seen = new Seen();
  for (const state of states) seen.add(state.split(" ", 1)[0] ?? "");
  return seen.states;
}

/** The state that an ask puts its task in. */
function stateOf(ask: string): string {
  const category = isAskType(ask) ? ASKS[ask].category : undefined;
  return category === "idle" || category === "resumable" ? category : "waiting_for_input";
}

function follow(task: TaskInterface): readonly string[] {
  const seen = new Seen();
  task.state$.subscribe(({ state, currentAsk }: AgentStateInfo) => seen.add(state, currentAsk));
  return seen.states;
}

async function live(
  task: TaskInterface,
): Promise<{ readonly seen: readonly string[]; readonly end: unknown }> {
  const seen = follow(task);
  task.asks$.subscribe(answer);
  const { usage, ...rest } = await restAtLast(task);
  return { seen, end: { ...rest, tokens: usage.tokensOut } };
}

/** A failed request is a rest, too. */
async function restAtLast(task: TaskInterface) {
  let end = await task.run("Go");
  while (end.ask === "failure") end = await task.settled();
  return end;
}

/** A task in this process, and whatever is done with it. */
async function inProcess<T>(
  script: string,
  use: (task: Task, host: ReturnType<typeof createHost>) => Promise<T>,
  policy?: Policy,
): Promise<T> {
  const mock = await startMock(parseScript(script));
  const host = createHost({ journal: () => memoryJournal() });
  const task = await host.create({
    model: anthropic({ model: MODEL, apiKey: "any", baseURL: mock.url }),
    workspace: box.newFolder(),
    ...(policy !== undefined && { permissions: { judge: policy } }),
  });
  try {
    return await use(task, host);
  } finally {
    await host.closeAll();
    await mock.close();
  }
}

async function inSubprocess() {
  const mock = await startMock(parseScript(SCRIPT));
  const workspace = box.newFolder();
  const where = ["-w", workspace, "--data-dir", box.newFolder(), "--base-url", mock.url];
  const args = [box.bin, ...REMOTE_ARGUMENTS, ...where, "--no-checkpoints", "-m", MODEL];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: box.folder, ANTHROPIC_API_KEY: "any" },
  });
  const task = connect(child);
  try {
    return await live(task);
  } finally {
    await task.close();
    await mock.close();
  }
}

/** Its states, as a front end with a client sees them and answers them. */
function throughClient(task: Task, client: ExtensionClient): Promise<readonly string[]> {
  const seen = new Seen();
  seen.add(client.getAgentState().state);
  return new Promise((resolve) => {
    client.on("stateChange", ({ currentState: { state, currentAsk } }) => {
      seen.add(state, currentAsk);
      if (currentAsk === "tool") client.approve();
      if (currentAsk === "command") client.reject("not now");
      if (currentAsk === "followup") client.respond("blue");
      if (currentAsk === "api_req_failed") client.retryApiRequest();
    });
    client.on("taskCompleted", () => queueMicrotask(() => resolve(seen.states)));
    task.run("Go").catch(() => undefined);
  });
}

/** Its states, as lines on the paper of a terminal tell them, to a person who types. */
async function throughTerminal(task: Task, host: ReturnType<typeof createHost>): Promise<readonly string[]> {
  const terminal = new FakeTerminal({ columns: 120 });
  const settings = {
    prompt: "Go",
    isPlain: false,
    oneshot: false,
    exitOnError: false,
    isEphemeral: true,
    isVerbose: true,
  };
  const left: number[] = [];
  const ui = new Terminal(
    task,
    host,
    {
      ...{ ...settings, dataDir: box.folder, secrets: [] },
      ...{ task: { configDir: box.folder, modes: [] }, rules: NO_RULES, model: NO_MODELS },
    },
    terminal.io,
    (code) => left.push(code),
  );
  ui.start();
  const said = async (question: string, words: string): Promise<void> => {
    await terminal.shows(question);
    await terminal.type(`${words}\r`);
  };
  await said("or type what to do instead", "y");
  await said("Run `", "not now");
  await said("A number", "1");
  await said("Retry?", "y");
  await terminal.shows("Type what is missing");
  ui.close();
  const seen = new Seen();
  for (const [, before = "", after = ""] of terminal.text.join("\n").matchAll(/^-- (\w+) -> (\w+)/gm)) {
    seen.add(before);
    seen.add(after);
  }
  return seen.states;
}

/** The asks that events with `askId` tell. */
function asksTold(events: readonly ParsedJsonEvent[]): readonly string[] {
  const seen = new Seen();
  for (const { type, subtype = "", askId, done } of events) {
    const ask = type === "result" ? "completion_result" : subtype;
    if (askId !== undefined && done === true) seen.add(stateOf(ask), ask);
  }
  return seen.states;
}

const UPDATE = z.object({ stateTransition: z.string(), currentAsk: z.string().optional() });

/** The states in the debug log of the only task of this data folder. */
function statesLogged(data: string): readonly string[] {
  const [id = ""] = readdirSync(path.join(data, "tasks"));
  const log = readFileSync(path.join(data, "tasks", id, "debug.log"), "utf8");
  const seen = new Seen();
  for (const [, update = ""] of log.matchAll(/^\[MessageProcessor\] State update: (.*)$/gm)) {
    const { stateTransition, currentAsk } = UPDATE.parse(JSON.parse(update));
    const [before = "", after] = stateTransition.split(" → ");
    if (seen.states.length === 0) seen.add(before);
    if (after !== undefined) seen.add(after, currentAsk);
  }
  return seen.states;
}

const HEADERS: Readonly<Record<string, string>> = {
  "Tool Request": "tool",
  "command request": "command",
  question: "followup",
  "api request failed": "api_req_failed",
  "task complete": "completion_result",
};

describe("one scripted task, through each interface", () => {
  test("has the same sequence of states, and the same end, in process and as a subprocess (L1, L2)", async () => {
    const here = await inProcess(SCRIPT, live);
    expect(asksIn(here.seen)).toEqual([
      "waiting_for_input tool",
      "waiting_for_input command",
      "waiting_for_input followup",
      "idle api_req_failed",
      "idle completion_result",
    ]);
    expect(here.seen.at(-1)).toBe("idle completion_result");
    expect(await inSubprocess()).toEqual(here);
  });

  test("has the same sequence of states for a client of messages (L1, L2)", async () => {
    const { seen } = await inProcess(SCRIPT, live);
    const client = await inProcess(SCRIPT, (task, host) =>
      throughClient(task, connectTask(task, { host }).client),
    );
    expect(client).toEqual(seen);
  });

  test("has the same states on a terminal, as its state lines show, without their asks (L1)", async () => {
    const { seen } = await inProcess(SCRIPT, live);
    expect(await inProcess(SCRIPT, throughTerminal)).toEqual(namesIn(seen));
  });

  test("has the same asks in NDJSON, whose events contain only the ask of a state (L1)", async () => {
    const { seen } = await inProcess(SCRIPT, live);
    const stream = await StreamProcess.start(box, SCRIPT, ["--no-checkpoints"]);
    const opens = async (like: Partial<ParsedJsonEvent>): Promise<number | undefined> =>
      (await stream.event({ ...like, done: true })).askId;
    stream.send("start", "s", { prompt: "Go" });
    stream.send("approve", "1", { askId: await opens({ type: "tool_use", subtype: "tool" }) });
    const askId = await opens({ type: "tool_use", subtype: "command" });
    stream.send("reject", "2", { askId, prompt: "not now" });
    stream.send("message", "3", { askId: await opens({ subtype: "followup" }), prompt: "blue" });
    stream.send("approve", "4", { askId: await opens({ subtype: "api_req_failed" }) });
    await opens({ type: "result" });
    stream.send("shutdown", "5");
    expect(await stream.process.code).toBe(0);
    expect(asksTold(stream.events)).toEqual(asksIn(seen));
  });

  test("has the same states in print mode as stream-json, as its debug log shows; its events report the end (L1)", async () => {
    const { seen } = await inProcess(ALONE, live, allowEverything());
    const flags = ["-y", "--no-checkpoints", "-d", "Go"];
    const stream = await StreamProcess.startOnce(box, ALONE, flags);
    expect(await stream.process.code).toBe(0);
    expect(statesLogged(stream.data)).toEqual(seen);
    expect(asksTold(stream.events)).toEqual(asksIn(seen));
  });

  test("has the same states up to the first ask in print mode as stream-json, where it ends (L1)", async () => {
    const { seen } = await inProcess(SCRIPT, live);
    const stream = await StreamProcess.startOnce(box, SCRIPT, ["--no-checkpoints", "-d", "Go"]);
    expect(await stream.process.code).toBe(1);
    const first = seen.indexOf("waiting_for_input tool");
    expect(statesLogged(stream.data).slice(0, first + 1)).toEqual(seen.slice(0, first + 1));
    expect(asksTold(stream.events)).toEqual(["waiting_for_input tool"]);
  });

  test("has the same states as text with a user on stdin: its debug log shows them, its headers the asks (L1)", async () => {
    const { seen } = await inProcess(SCRIPT, live);
    const flags = ["--no-checkpoints", "-d", "-p", "-a", "Go"];
    const { process: text, data } = await box.onScript(SCRIPT, flags, { program: "roo" });
    await text.said("Allow it?");
    text.line("y");
    await text.said("Run it?");
    text.line("not now");
    await text.said("A number");
    text.line("1");
    await text.said("Retry?");
    text.line("y");
    expect(await text.code).toBe(0);
    expect(statesLogged(data)).toEqual(seen);
    const asks = [...text.stdout.matchAll(/^\[([^\]]+)\]/gm)].flatMap(
      ([, header = ""]) => HEADERS[header] ?? [],
    );
    expect(asks.map((ask) => `${stateOf(ask)} ${ask}`)).toEqual(asksIn(seen));
  });
});
