import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { installed } from "./installed.ts";
import { StreamProcess } from "./stream/stream-process.ts";

const box = installed();

const LOOK = '{ tool: execute_command, input: { command: "echo $$ > pid; echo begun; exec sleep 300" } }';
const SERVE = '{ tool: execute_command, input: { command: "echo up; exec sleep 300", background: true } }';

/** Whether a process runs; one that has ended may wait for its parent. */
const isAlive = (pid: number): boolean =>
  /^[^ZX]/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim());

test("after SIGKILL of the task's process, a command that still runs is not called stopped, and the journal has its process id (L11, L12)", async () => {
  const script = `[${SERVE}, ${LOOK}, { text: Done. }]`;
  const first = await StreamProcess.start(box, script);
  first.send("start", "s", { prompt: "Serve" });
  await first.process.said('"output":"begun');
  const { taskId = "" } = await first.event({ type: "control", subtype: "ack" });
  first.process.child.kill("SIGKILL");
  await first.process.code;

  const shown = await box.does("show", taskId, "--data-dir", first.data);
  expect(shown.stdout).toContain("(continues in the background)");
  expect(shown.stdout).toContain("(interrupted; if the process of the task was killed, it may still run)");
  expect(shown.stdout).not.toContain("stopped");

  const next = await StreamProcess.start(box, script, ["-y", "--session-id", taskId], {
    workspace: first.workspace,
  });
  await next.event({ subtype: "resume_task" });
  next.send("message", "m", { prompt: "go on" });
  await next.event({ type: "result", content: "Done." });
  expect(next.bodies).toContain("Its command may still run.");
  const pid = Number(/it may still run \(pid (\d+)\)/.exec(next.bodies)?.[1]);
  expect(pid).toBeGreaterThan(1);
  const running = Number(readFileSync(path.join(first.workspace, "pid"), "utf8"));
  for (const each of [pid, running]) {
    expect(isAlive(each)).toBe(true);
    process.kill(each, "SIGKILL");
  }
  expect(await next.process.end()).toBe(0);
});
