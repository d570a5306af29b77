import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropic, memoryJournal } from "../../actors/index.ts";
import { connect, createHost, REMOTE_ARGUMENTS, type TaskFace, type TypedAsk } from "../../client/index.ts";
import type { AgentStateInfo } from "../../machines/message/index.ts";
import { parseScript, startMock } from "../../mock/index.ts";
import { type Built, build } from "./built.ts";
import { temporaryFolder } from "./process.ts";

let built: Built;
const folder = temporaryFolder();
beforeAll(() => {
  built = build();
}, 120_000);
afterAll(() => {
  built.remove();
  folder.remove();
});

/** A write that is approved, a command that is rejected, a question, a failure that is tried again, a completion. */
const SCRIPT = `turns:
  - - { text: I write it. }
    - { tool: write_to_file, input: { path: a.txt, content: one } }
  - { tool: execute_command, input: { command: "echo hello" } }
  - { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: blue }] } }
  - { status: 400 }
  - { tool: attempt_completion, input: { result: Done. } }
`;

function answer(ask: TypedAsk): void {
  if (ask.kind === "tool") ask.approve();
  if (ask.kind === "command") ask.reject({ text: "not now" });
  if (ask.kind === "followup") ask.reply("blue");
  if (ask.kind === "api_req_failed") ask.retry();
}

/** Each state that is another one than the state before it. */
function follow(task: TaskFace): readonly string[] {
  const seen: string[] = [];
  task.state$.subscribe(({ state, currentAsk = "" }: AgentStateInfo) => {
    const now = `${state} ${currentAsk}`.trim();
    if (seen.at(-1) !== now) seen.push(now);
  });
  return seen;
}

async function live(task: TaskFace): Promise<{ readonly seen: readonly string[]; readonly end: unknown }> {
  const seen = follow(task);
  task.asks$.subscribe(answer);
  const { usage, ...rest } = await restAtLast(task);
  return { seen, end: { ...rest, tokens: usage.tokensOut } };
}

/** A failed request is a rest, too. */
async function restAtLast(task: TaskFace) {
  let end = await task.run("Go");
  while (end.ask === "api_req_failed") end = await task.rested();
  return end;
}

async function inProcess() {
  const mock = await startMock(parseScript(SCRIPT));
  const host = createHost({ journal: () => memoryJournal() });
  const task = await host.create({
    model: anthropic({ model: "claude-sonnet-5-5", apiKey: "any", baseURL: mock.url }),
    workspace: mkdtempSync(path.join(folder.path, "work-")),
  });
  try {
    return await live(task);
  } finally {
    await host.closeAll();
    await mock.close();
  }
}

async function inSubprocess() {
  const mock = await startMock(parseScript(SCRIPT));
  const workspace = mkdtempSync(path.join(folder.path, "work-"));
  const where = ["-w", workspace, "--data-dir", path.join(workspace, "data"), "--base-url", mock.url];
  const args = [built.bin, ...REMOTE_ARGUMENTS, ...where, "--no-checkpoints", "-m", "claude-sonnet-5-5"];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: folder.path, ANTHROPIC_API_KEY: "any" },
  });
  const task = connect(child);
  try {
    return await live(task);
  } finally {
    await task.close();
    await mock.close();
  }
}

describe("one scripted task, through each face", () => {
  test("has the same sequence of states, and the same end (L1, L2)", async () => {
    const here = await inProcess();
    expect(here.seen.filter((state) => state.startsWith("waiting_for_input"))).toEqual([
      "waiting_for_input tool",
      "waiting_for_input command",
      "waiting_for_input followup",
    ]);
    expect(here.seen.at(-1)).toBe("idle completion_result");
    expect(await inSubprocess()).toEqual(here);
  }, 60_000);
});
