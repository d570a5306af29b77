import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { installed } from "../cli/installed.ts";
import { StreamProcess } from "../cli/stream/stream-process.ts";
import { completes } from "../support/subtasks.ts";

const box = installed();

const DONE = completes("All done.");
const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const COMMAND = `{ tool: execute_command, input: { command: "echo run >> ran.txt; echo begun; sleep 300" } }`;

test.concurrent("field failure 4: the next process refuses an approval of the killed one by its code, asks again, and takes the approval (L7, L11)", async () => {
  const script = `[${WRITE}, ${WRITE}, ${DONE}]`;
  const first = await StreamProcess.start(box, script, []);
  first.send("start", "s", { prompt: "Change it" });
  const { askId } = await first.event({ type: "tool_use", done: true });
  const { taskId = "" } = await first.event({ type: "control", subtype: "ack" });
  first.process.child.kill("SIGKILL");
  await first.process.code;

  const next = await StreamProcess.start(box, script, ["--session-id", taskId], {
    workspace: first.workspace,
  });
  const resume = await next.event({ subtype: "resume_task" });
  next.send("approve", "late", { askId });
  await next.refused("late");
  expect(next.told("late")).toEqual(["error ask_closed"]);
  next.send("approve", "r", { askId: resume.askId });
  const again = await next.event({ type: "tool_use", done: true });
  const file = () => readFileSync(path.join(next.workspace, "a.txt"), "utf8");
  expect(file()).toBe("one\n");
  next.send("approve", "a", { askId: again.askId });
  await next.event({ type: "result", content: "All done." });
  expect(file()).toBe("two\n");
  expect(await next.process.end()).toBe(0);
});

test.concurrent("field failure 19: a second cancel during the first changes nothing, and the next process resumes the task (L10, L12)", async () => {
  const script = `[${COMMAND}, ${DONE}]`;
  const first = await StreamProcess.start(box, script);
  first.send("start", "s", { prompt: "Run it" });
  await first.process.said('"output":"begun');
  const { taskId = "" } = await first.event({ type: "control", subtype: "ack" });
  first.send("cancel", "c1");
  first.send("cancel", "c2");
  first.send("shutdown", "x");
  expect(await first.process.code).toBe(0);
  expect(first.told("s")).toEqual(["ack accepted", "done task_aborted"]);
  expect(first.told("c2")).toEqual(["ack accepted", "done no_active_task"]);
  expect(first.events.filter(({ subtype }) => subtype === "resume_task")).toHaveLength(1);

  const next = await StreamProcess.start(box, script, ["-y", "--session-id", taskId], {
    workspace: first.workspace,
  });
  await next.event({ subtype: "resume_task" });
  next.send("message", "m", { prompt: "go on" });
  await next.event({ type: "result", content: "All done." });
  expect(next.events.filter(({ subtype }) => subtype === "resume_task")).toHaveLength(1);
  expect(readFileSync(path.join(next.workspace, "ran.txt"), "utf8")).toBe("run\n");
  expect(await next.process.end()).toBe(0);
});
