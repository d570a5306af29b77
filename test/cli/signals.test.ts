import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, watch } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { AcpClient, inProcess } from "./acp/acp-client.ts";
import { run as runTool, ScriptedFolder } from "./acp/scripted-agent.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";
import { StreamProcess } from "./stream/stream-process.ts";
import { openPseudoRun } from "./terminal/pseudo-run.ts";
import { hasPseudoTerminal } from "./terminal/pseudo-terminal.ts";

const box = installed();

/** It writes up-42. */
const COMMAND = "echo $$ > pid; echo up-$((40 + 2)); exec sleep 300";
const SCRIPT = `[{ tool: execute_command, input: { command: "${COMMAND}" } }, { text: Done. }]`;

const SIGNALS = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGQUIT", 131],
  ["SIGTERM", 143],
] as const;

/** Node's default ends the process alone. */
const HANG_UP = SIGNALS.slice(0, 1);

/** Whether the command of {@link COMMAND} runs; one that has ended may wait for its parent. */
function isCommandAlive(workspace: string): boolean {
  const pid = readFileSync(path.join(workspace, "pid"), "utf8").trim();
  return /^[^ZX]/.test(spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim());
}

/** Resolves when the file is gone. */
const removalOf = (file: string): Promise<void> =>
  new Promise((resolve) => {
    const watcher = watch(path.dirname(file), () => look());
    const look = (): void => {
      if (existsSync(file)) return;
      watcher.close();
      resolve();
    };
    look();
  });

/** Whether the task has settled: it has nothing that a crash would leave. */
async function isSettled(data: string): Promise<boolean> {
  const { stdout } = await box.does("list", "--all", "--format", "json", "--data-dir", data);
  const [task] = JSON.parse(stdout).tasks;
  return task.state === "resumable" && !task.isInterrupted && task.heldBy === undefined;
}

describe.concurrent("a signal ends the running command, and the task settles", () => {
  test.each(SIGNALS)("%s with --print", async (signal, code) => {
    const { process, workspace, data } = await box.onScript(SCRIPT, ["-p", "-y", "Go"]);
    await process.said("up-42");
    process.child.kill(signal);
    expect(await process.code).toBe(code);
    expect(isCommandAlive(workspace)).toBe(false);
    expect(await isSettled(data)).toBe(true);
  });

  test.each(HANG_UP)("%s in the terminal", async (signal, code) => {
    const { process, workspace, data } = await box.onScript(SCRIPT, ["-y", "Go"]);
    await process.said("up-42");
    process.child.kill(signal);
    expect(await process.code).toBe(code);
    expect(isCommandAlive(workspace)).toBe(false);
    expect(await isSettled(data)).toBe(true);
  });

  test.each(HANG_UP)("%s with commands on the input", async (signal, code) => {
    const stream = await StreamProcess.start(box, SCRIPT);
    stream.send("start", "s", { prompt: "Go" });
    await stream.process.said("up-42");
    stream.process.child.kill(signal);
    expect(await stream.process.code).toBe(code);
    expect(isCommandAlive(stream.workspace)).toBe(false);
    expect(await isSettled(stream.data)).toBe(true);
  });

  test.each(HANG_UP)("%s in acp", async (signal, code) => {
    const folder = await ScriptedFolder.open(`[${runTool(COMMAND)}, { text: Done. }]`);
    const env = { ...folder.env, ANTHROPIC_API_KEY: "sk-test-0123456789" };
    const process = new Process(box.bin, ["acp", ...folder.args], { env });
    const client = new AcpClient(inProcess(process));
    await client.initialize();
    const prompt = client.prompt(await client.session(folder.workspace), "Go");
    await client.until(() => JSON.stringify(client.updates()).includes("up-42"));
    process.child.kill(signal);
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    expect(await process.code).toBe(code);
    expect(isCommandAlive(folder.workspace)).toBe(false);
    await folder.close();
  });

  test.each(["serve", "inspect", "mock"])("SIGHUP in %s", async (name) => {
    const data = name === "mock" ? [] : ["--data-dir", box.newFolder(), "--provider", "mock"];
    const process = box.signalbox(name, "--port", "0", ...data);
    await process.said(name === "mock" ? "Listening" : "Open http");
    process.child.kill("SIGHUP");
    expect(await process.code).toBe(129);
  });
});

describe.skipIf(!hasPseudoTerminal)("a terminal that closes", () => {
  test("ends the running command, and the task settles", async () => {
    const run = await openPseudoRun(box, SCRIPT, { args: ["-y"] });
    await run.terminal.shows("up-42");
    run.terminal.hangUp();
    await run.terminal.code;
    await removalOf(path.join(run.data, "tasks", run.taskIds().join(), "lock"));
    expect(isCommandAlive(run.workspace)).toBe(false);
    expect(await isSettled(run.data)).toBe(true);
  });
});
