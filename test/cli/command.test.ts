import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { MockServer } from "../../testing/mock/server/server.ts";
import { authorizedServer } from "../support/mcp/authorization-server.ts";
import { installed, type ScriptRun } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();

const run = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ScriptRun> =>
  box.onScript(script, args, { env });
const signalbox = (...args: readonly string[]): Process => box.signalbox(...args);
const contentOf = (workspace: string, file: string): string =>
  readFileSync(path.join(workspace, file), "utf8");
const bodies = (mock: MockServer): string => JSON.stringify(mock.requests.map(({ body }) => body));

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const COMMAND = (command: string): string => `{ tool: execute_command, input: { command: ${command} } }`;
const ALLOW = "? y/n/always/q, or";
const RUN = "Run `";
const ACCEPT = "Type what is missing";
const RESUME = "Enter to resume";

describe.concurrent("on a terminal", () => {
  test("an edit is shown as a diff and made after approval, and an accepted completion exits with code 0", async () => {
    const { process, workspace } = await run(`[[{ text: I write. }, ${WRITE}], ${DONE}]`, ["Change it"]);
    await process.said(ALLOW);
    expect(process.stdout).toContain("> Change it");
    expect(process.stdout).toContain("I write.");
    expect(process.stdout).toContain("-one\n  +two");
    expect(contentOf(workspace, "a.txt")).toBe("one\n");
    process.line("y");
    await process.said(ACCEPT);
    expect(contentOf(workspace, "a.txt")).toBe("two\n");
    process.line("y");
    expect(await process.code).toBe(0);
    expect(process.stderr).toContain("journal.jsonl");
  });

  test("with --verbose each state transition is shown, with the cost of the request, and no text is shown twice", async () => {
    const { process } = await run(`[[{ text: I say this once. }, ${DONE}]]`, [
      "--verbose",
      "--oneshot",
      "Go",
    ]);
    expect(await process.end()).toBe(0);
    const states = process.stdout.split("\n").filter((line) => line.startsWith("-- "));
    expect(states.map((line) => line.replace(/ {2}\(.*/, ""))).toEqual([
      "-- no_task -> running",
      "-- running -> streaming",
      "-- streaming -> idle",
    ]);
    expect(states[2]).toMatch(/total .* in, \d+ out, \$0\.\d{4}/);
    expect(process.stdout.split("I say this once.")).toHaveLength(2);
    expect(process.stdout.split("All done.")).toHaveLength(2);
  });

  test("text in place of y or n rejects the call and is sent to the model", async () => {
    const { process, workspace, mock } = await run(`[${WRITE}, ${DONE}]`, ["Change it"]);
    await process.said(ALLOW);
    process.line("three, not two");
    await process.said(ACCEPT);
    expect(contentOf(workspace, "a.txt")).toBe("one\n");
    expect(bodies(mock)).toContain("three, not two");
    expect(await process.end()).toBe(0);
  });

  test("an unclear answer is asked again, never guessed", async () => {
    const { process } = await run(`[${WRITE}, ${DONE}]`, ["Change it"]);
    await process.said(ALLOW);
    process.line("");
    await process.said(ALLOW, 2);
    process.line("n");
    await process.said(ACCEPT);
    await process.end();
  });

  test("a line that was sent before its question is queued and approves nothing (L7, field failure 1)", async () => {
    const waits = COMMAND("mkfifo gate && echo begun && cat gate");
    const { process, workspace, mock } = await run(`[${waits}, ${WRITE}, ${DONE}]`, ["Change it"]);
    await process.said(RUN);
    process.line("y");
    await process.said("  begun");
    process.line("y");
    await process.said("Queued for the next request: y");
    await writeFile(path.join(workspace, "gate"), "");
    await process.said(ALLOW, 2);
    process.line("n");
    await process.said(ACCEPT);
    expect(bodies(mock)).toContain("<user_message>\\ny\\n</user_message>");
    expect(contentOf(workspace, "a.txt")).toBe("one\n");
    await process.end();
  });

  test("a follow-up question is answered by a number or a text", async () => {
    const ask =
      "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: red }, { text: blue }] } }";
    const { process, mock } = await run(`[${ask}, ${ask}, ${DONE}]`, ["Choose"]);
    await process.said("A number, or your own answer");
    expect(process.stdout).toContain("? Which?\n  1. red\n  2. blue\n");
    process.line("3");
    await process.said("Please give a number from 1 to 2, or your own answer.");
    process.line("2");
    await process.said("A number, or your own answer", 3);
    process.line("green");
    await process.said(ACCEPT);
    expect(bodies(mock)).toContain("<user_message>\\nblue\\n");
    expect(bodies(mock)).toContain("<user_message>\\ngreen\\n");
    await process.end();
  });

  test("feedback to a completion continues the task", async () => {
    const { process } = await run(`[${DONE}, { tool: attempt_completion, input: { result: Better. } }]`, [
      "Go",
    ]);
    await process.said(ACCEPT);
    process.line("not yet");
    await process.said("Better.");
    await process.said(ACCEPT, 2);
    process.line("y");
    expect(await process.code).toBe(0);
  });

  test("output of a command is shown as it comes, and k terminates the command", async () => {
    const { process } = await run(`[${COMMAND("echo begun; sleep 60")}, ${DONE}]`, ["-y", "Go"]);
    await process.said("  begun");
    process.line("k");
    await process.said("The command was terminated.");
    await process.said(ACCEPT);
    expect(await process.end()).toBe(0);
  });

  test("b lets a command continue in the background", async () => {
    const { process } = await run(`[${COMMAND("echo begun; sleep 60")}, ${DONE}]`, ["Go"]);
    await process.said(RUN);
    process.line("y");
    await process.said("  begun");
    process.line("b");
    await process.said("continues in the background");
    await process.said(ACCEPT);
    expect(await process.end()).toBe(0);
  });

  test("one interrupt leads to a task that can be resumed, with a message", async () => {
    const { process, mock } = await run(`[${WRITE}, ${DONE}]`, ["Go"]);
    await process.said(ALLOW);
    process.child.kill("SIGINT");
    await process.said(RESUME);
    // Without --verbose no line names a state.
    expect(process.stdout).not.toMatch(/^-- /m);
    process.line("now finish");
    await process.said(ACCEPT);
    expect(bodies(mock)).toContain("now finish");
    process.line("y");
    expect(await process.code).toBe(0);
  });

  test("a second interrupt exits with code 130", async () => {
    const { process } = await run(`[${COMMAND("echo begun; sleep 60")}]`, ["-y", "Go"]);
    await process.said("  begun");
    process.child.kill("SIGINT");
    await process.said(RESUME);
    process.child.kill("SIGINT");
    expect(await process.code).toBe(130);
  });

  test("q quits an interrupted task with code 0", async () => {
    const { process } = await run(`[${WRITE}]`, ["Go"]);
    await process.said(ALLOW);
    process.child.kill("SIGINT");
    await process.said(RESUME);
    process.line("q");
    expect(await process.code).toBe(0);
  });

  test("SIGTERM exits with code 143", async () => {
    const { process } = await run(`[${WRITE}]`, ["Go"]);
    await process.said(ALLOW);
    process.child.kill("SIGTERM");
    expect(await process.code).toBe(143);
  });

  test("without a prompt it asks for one", async () => {
    const { process, mock } = await run(`[${DONE}]`, []);
    await process.said("Task prompt:");
    process.line("Nothing much");
    await process.said(ACCEPT);
    expect(bodies(mock)).toContain("Nothing much");
    await process.end();
  });

  test("an input that ends before there is a prompt exits with code 1 and an error; no journal is named", async () => {
    const { process, data } = await run(`[${DONE}]`, []);
    expect(await process.end()).toBe(1);
    expect(process.stdout).toBe("Task prompt: \n");
    expect(process.stderr).toMatch(/^\[CLI\] Error: no prompt, and stdin has ended: .*\n$/);
    expect(existsSync(data)).toBe(false);
  });

  test("an input that has ended at a question exits with code 1 and the ask's name", async () => {
    const { process } = await run(`[${WRITE}]`, ["Go"]);
    expect(await process.end()).toBe(1);
    expect(process.stderr).toMatch(/^\[CLI\] Error: the task asks tool \(Overwrite a\.txt/m);
  });

  test("a failed request can be retried, and a no makes the task resumable", async () => {
    const { process } = await run("[{ status: 400 }, { text: x }]", ["Go"]);
    await process.said("Retry? y/n");
    process.line("maybe");
    await process.said("Please answer y or n.");
    process.line("n");
    await process.said(RESUME);
    process.line("q");
    expect(await process.code).toBe(0);
  });

  test("the user is asked when consecutive mistakes reach the limit", async () => {
    const { process } = await run(`[{ tool: no_such_tool }, ${DONE}]`, [
      "--consecutive-mistake-limit",
      "1",
      "Go",
    ]);
    await process.said("Continue? y/n");
    process.line("use a tool that exists");
    await process.said(ACCEPT);
    await process.end();
  });
});

describe.concurrent("printed", () => {
  test("text is printed under headers, errors on stderr, and the prompt not at all", async () => {
    const turns = `[[{ thinking: Hm. }, { text: I begin. }, ${WRITE}], ${COMMAND("echo said")}, ${DONE}]`;
    const { process } = await run(turns, ["-p", "-y", "The prompt"]);
    expect(await process.end()).toBe(0);
    expect(process.stdout).toBe(
      [
        "[reasoning] Hm.",
        "[assistant] I begin.",
        "[Tool Request] editedExistingFile a.txt",
        "[command request] echo said",
        "[command output] said",
        "[task complete] All done.",
        "",
      ].join("\n"),
    );
    expect(process.stderr).toBe("");
  });

  test("json is one object at the end, with the result, its cost and the events", async () => {
    const turns = `[[{ text: I begin. }, ${WRITE}], ${COMMAND("echo said")}, ${DONE}]`;
    const { process } = await run(turns, ["-p", "-y", "--output-format", "json", "The prompt"]);
    expect(await process.end()).toBe(0);
    const result = Result.parse(JSON.parse(process.stdout));
    expect(result).toMatchObject({ type: "result", success: true, content: "All done." });
    expect(result.cost.inputTokens).toBeGreaterThan(0);
    expect(result.cost.totalCost).toBeGreaterThan(0);
    expect(
      result.events.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`)),
    ).toEqual([
      "system/init",
      "user",
      "assistant",
      "tool_use/tool",
      "tool_use/command",
      "tool_result/command",
    ]);
    expect(result.events[5]).toMatchObject({
      id: result.events[4]?.id,
      tool_result: { name: "execute_command", output: "said\n", exitCode: 0 },
    });
    expect(process.stderr).toBe("");
  });

  test("an ask that nobody can answer exits with code 1 and its name, and nothing is written", async () => {
    const { process, workspace } = await run(`[${WRITE}]`, ["-p", "Go"]);
    expect(await process.code).toBe(1);
    expect(process.stderr).toContain("[CLI] Error: the task asks tool (Overwrite a.txt");
    expect(process.stderr).toContain("-y");
    expect(contentOf(workspace, "a.txt")).toBe("one\n");
  });

  test("in json that error is one line of type error on stdout", async () => {
    const ask = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: red }] } }";
    const { process } = await run(`[${ask}]`, ["-p", "-y", "--output-format", "json", "Go"]);
    expect(await process.code).toBe(1);
    const error = z.object({ type: z.literal("error"), id: z.number(), content: z.string() });
    expect(error.parse(JSON.parse(process.stdout)).content).toContain("the task asks followup (Which?)");
    expect(process.stdout.trim().split("\n")).toHaveLength(1);
  });

  test("the prompt may be piped in", async () => {
    const { process, mock } = await run(`[${DONE}]`, ["-p"]);
    process.line("From the pipe");
    expect(await process.end()).toBe(0);
    expect(bodies(mock)).toContain("From the pipe");
  });

  test("an interrupt exits with code 130", async () => {
    const { process } = await run(`[${COMMAND("echo begun; sleep 60")}]`, ["-p", "-y", "Go"]);
    await process.said("begun");
    process.child.kill("SIGINT");
    expect(await process.code).toBe(130);
    expect(process.stdout).not.toContain("Resume");
  });

  test("--exit-on-error exits at the first failed request", async () => {
    const { process, mock } = await run("[{ status: 529 }, { text: x }]", ["-p", "--exit-on-error", "Go"]);
    expect(await process.code).toBe(1);
    expect(process.stderr).toContain("the task asks api_req_failed (529 ");
    expect(mock.requests).toHaveLength(1);
  });

  test("a closed reader ends the run silently", async () => {
    const turns = `[[{ text: { repeat: "word ", times: 200000 } }, ${DONE}]]`;
    const { process } = await run(`{ delayMs: 1, turns: ${turns} }`, ["-p", "Go"]);
    process.child.stdin.end();
    await process.said("word");
    process.child.stdout.destroy();
    expect(await process.code).toBe(1);
    expect(process.stderr).toBe("");
  });
});

const Result = z.object({
  type: z.string(),
  success: z.boolean(),
  content: z.string(),
  cost: z.object({
    totalCost: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheWrites: z.number(),
    cacheReads: z.number(),
  }),
  events: z.array(
    z.looseObject({ type: z.string(), subtype: z.string().optional(), id: z.number().optional() }),
  ),
});

describe.concurrent("its data", () => {
  test("--ephemeral leaves nothing on disk", async () => {
    const { process, workspace } = await run(`[${DONE}]`, ["-p", "--ephemeral", "Go"]);
    expect(await process.code).toBe(0);
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
  });

  test("--debug writes a log in which keys are masked", async () => {
    const key = "sk-ant-REDACTED";
    const { process, workspace } = await run(`[[{ text: "I saw ${key} and secret-of-mine." }, ${DONE}]]`, [
      ...["-p", "-d", "-k", "secret-of-mine", "Go"],
    ]);
    expect(await process.code).toBe(0);
    const [task = ""] = readdirSync(path.join(workspace, "data/tasks"));
    const log = contentOf(workspace, `data/tasks/${task}/debug.log`);
    expect(log).toContain("no_task -> running.starting");
    expect(log).toContain("[masked]");
    expect(log).not.toContain(key);
    expect(log).not.toContain("secret-of-mine");
    expect(existsSync(path.join(workspace, `data/tasks/${task}/journal.jsonl`))).toBe(true);
  });
});

test("without a key it prints which variables, which settings and which commands help", async () => {
  const config = box.newFolder();
  const process = new Process(box.bin, ["Make the tests pass"], { env: { XDG_CONFIG_HOME: config } });
  expect(await process.code).toBe(1);
  expect(process.stdout).toBe("");
  const [first = "", ...rest] = process.stderr.trimEnd().split("\n");
  expect(first).toBe("[CLI] Error: no API key: set ANTHROPIC_API_KEY, or pass --api-key KEY. One of:");
  const text = rest.join("\n");
  expect(text).toContain("ANTHROPIC_AUTH_TOKEN");
  expect(text).toContain(`${config}/signalbox/settings.yaml:`);
  expect(text).toContain("signalbox run --provider mock");
  expect(text).toContain("npm start");

  // The settings that it shows are valid.
  const shown = rest.filter((line) => /^ {2}(version|profiles?): /.test(line)).map((line) => line.trim());
  mkdirSync(path.join(config, "signalbox"));
  writeFileSync(path.join(config, "signalbox/settings.yaml"), shown.join("\n"));
  const again = new Process(box.bin, ["Make the tests pass"], { env: { XDG_CONFIG_HOME: config } });
  expect(await again.code).toBe(1);
  expect(again.stderr).toContain("profile work: expected its API key in the environment variable WORK_KEY");
});

test("the mock provider runs without a key, a network and a script", async () => {
  const process = new Process(box.bin, ["-p", "--provider", "mock", "--ephemeral", "Say hello"], {
    cwd: box.folder,
  });
  expect(await process.code).toBe(0);
  expect(process.stdout).toContain("This is a scripted response");
});

test("the mock command serves a script to the real SDK until it is interrupted", async () => {
  const script = path.join(box.folder, "mock.yaml");
  writeFileSync(script, "- text: Hello from the script.\n");
  const process = signalbox("mock", "--script", script, "--port", "0");
  await process.said("Try: ");
  const url = /http:\/\/\S+/.exec(process.stdout)?.[0];
  const client = new Anthropic({ baseURL: url ?? "", apiKey: "any" });
  const message = await client.messages.create({
    model: "claude-sonnet-4-6",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(message.content).toMatchObject([{ type: "text", text: "Hello from the script." }]);
  process.child.kill("SIGINT");
  expect(await process.code).toBe(130);
  expect(process.stderr).toContain("POST /v1/messages 200, turn 1");
});

describe("with stdin that is not a terminal", () => {
  test("the run says at its start how questions are answered, unless everything is approved", async () => {
    const asking = await run(`[${WRITE}, ${DONE}]`, ["Change it"]);
    await asking.process.said(
      "stdin is not a terminal: a line answers a question only if it comes after the question",
    );
    asking.process.line("y");
    expect(await asking.process.end()).toBe(1);
    const { process } = await run(`[${WRITE}, ${DONE}]`, ["-y", "Change it"]);
    expect(await process.end()).toBe(0);
    expect(process.stderr).not.toContain("stdin is not a terminal");
  });
});

test("a login to an MCP server is cancelled by Ctrl-C", async () => {
  await using server = await authorizedServer();
  const config = box.newFolder();
  const env = { XDG_CONFIG_HOME: config };
  const added = new Process(box.bin, ["mcp", "add", "tracker", "--url", server.url], { env });
  expect(await added.code).toBe(0);
  const login = new Process(box.bin, ["mcp", "login", "tracker"], { env });
  await login.said("redirect_uri=");
  login.child.kill("SIGINT");
  expect([await login.code, login.child.signalCode]).toEqual([null, "SIGINT"]);
  expect(readdirSync(path.join(config, "signalbox"))).toEqual(["settings.yaml"]);
});
