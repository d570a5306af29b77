import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { filter, firstValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { connect, REMOTE_ARGUMENTS } from "../../client/index.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { NESTED_SCRIPT } from "../support/subtasks.ts";
import { installed } from "./installed.ts";

const box = installed();

/** A command that writes, and goes on when its gates are opened; a question; the end; that of the queued message. */
const SCRIPT = `turns:
  - { tool: execute_command, input: { command: "mkfifo one two; echo begun; cat one; echo second; cat two" } }
  - { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: blue }] } }
  - { tool: attempt_completion, input: { result: Done. } }
  - { tool: attempt_completion, input: { result: Done quickly. } }
`;

/** A task in a process of its own, and what that writes. */
async function connected(script = SCRIPT) {
  const mock = await startMock(parseScript(script));
  const workspace = box.newFolder();
  const where = ["-w", workspace, "--data-dir", path.join(workspace, "data"), "--base-url", mock.url];
  const args = [box.bin, ...REMOTE_ARGUMENTS, ...where, "--no-checkpoints", "-m", "claude-sonnet-5-5"];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: box.folder, ANTHROPIC_API_KEY: "any" },
  });
  let written = "";
  child.stdout.on("data", (text) => {
    written += String(text);
  });
  const task = connect(child);
  return {
    task,
    mock,
    written: () => written,
    file: (name: string) => readFile(path.join(workspace, name), "utf8"),
    open: (gate: string) => writeFile(path.join(workspace, gate), ""),
    ask: <K extends Ask["kind"]>(kind: K) =>
      firstValueFrom(task.asks$.pipe(filter((ask): ask is Ask & { kind: K } => ask.kind === kind))),
    completed: (result: string) =>
      firstValueFrom(
        task.messages$.pipe(
          filter(({ ask, say, text }) => (ask ?? say) === "completion_result" && text === result),
        ),
      ),
    output: (text: string) =>
      firstValueFrom(
        task.messages$.pipe(
          filter((row) => row.ask === "command_output" && row.text?.includes(text) === true),
        ),
      ),
  };
}

test("a connected task switches its mode and edits its queue, and a growing message is sent as deltas (L17)", async () => {
  const { task, mock, written, open, ask, output, completed } = await connected();
  try {
    await firstValueFrom(task.lines$.pipe(filter(({ code }) => code === "launched")));
    const end = task.run("Go");
    const [command, begun, second] = [await ask("command"), output("begun"), output("second")];
    command.approve();
    await begun;
    await open("one");
    await second;
    await open("two");
    const question = await ask("question");
    expect(written()).toContain('"type":"messageGrown"');
    expect(task.log.find((row) => row.ask === "command_output")?.text).toBe("begun\nsecond\n");

    const queued = await task.queue("and quick");
    expect(await task.editQueued(queued.ok ? queued.id : "", "and quickly")).toEqual({ ok: true });
    expect(await task.editQueued("nothing", "x")).toMatchObject({ ok: false, code: "QUEUED_UNKNOWN" });
    expect(await task.switchMode("ask")).toEqual({ ok: true });
    await expect(task.switchMode("no slug")).rejects.toMatchObject({ reason: "mode_refused" });
    const delivered = completed("Done quickly.");
    question.answer("blue");
    expect((await end).result).toBe("Done.");
    await delivered;
    const told = JSON.stringify(mock.requests.at(-1)?.body);
    expect(told).toContain("and quickly");
    expect(told).toContain("# Current mode\\nask");
  } finally {
    await task.close();
    await mock.close();
  }
});

test("an approval of a connected task amends the call by its proposal, and adds one of its rules", async () => {
  const write = (name: string) => `{ tool: write_to_file, input: { path: ${name}, content: "one\\n" } }`;
  const { task, mock, ask, file } = await connected(
    `[${write("a.txt")}, ${write("a.txt")}, { tool: attempt_completion, input: { result: Done. } }]`,
  );
  try {
    const end = task.run("Go");
    const { proposal, rules, approve } = await ask("tool");
    expect(proposal).toEqual({ kind: "file", path: "a.txt", base: "none", after: "one\n" });
    const [rule = ""] = rules;
    expect(approve({ amendment: { content: "two\n" }, rule })).toEqual({ ok: true });
    expect((await end).result).toBe("Done.");
    expect(JSON.stringify(mock.requests[1]?.body)).toContain("user_edits");
    // The rule allows the second call, which writes what was proposed.
    expect(await file("a.txt")).toBe("one\n");
  } finally {
    await task.close();
    await mock.close();
  }
});

test("a connected root answers every ask of its subtask's subtask, and its run resolves with its own result (L16)", async () => {
  const { task, mock } = await connected(NESTED_SCRIPT);
  try {
    const results: string[] = [];
    task.asks$.subscribe((ask) => {
      if (ask.kind === "tool") ask.approve();
      if (ask.kind === "question") ask.answer("left");
      if (ask.kind !== "completion") return;
      results.push(ask.result);
      if (ask.result !== "All done.") ask.approve();
    });
    expect((await task.run("Go")).result).toBe("All done.");
    expect(results).toEqual(["Two done.", "One done.", "All done."]);
  } finally {
    await task.close();
    await mock.close();
  }
});
