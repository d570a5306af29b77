import { describe, expect, test } from "vitest";
import { z } from "zod";
import { completes, QUESTION, scriptByMode, subtask } from "../support/subtasks.ts";
import { installed } from "./installed.ts";
import type { Process } from "./process.ts";

const box = installed();

const run = async (script: string, ...args: readonly string[]): Promise<Process> =>
  (await box.onScript(script, args)).process;

const parentOf = (turn: string) => [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn },
];
const parent = parentOf(subtask("debug"));
const quick = scriptByMode(...parent, { mode: "debug", turn: completes("One done.") });
const child = [
  { mode: "debug", after: "ask_followup_question", turn: completes("One done.") },
  { mode: "debug", turn: QUESTION },
];
const asking = scriptByMode(...parent, ...child);
const named = scriptByMode(
  ...parentOf('{ tool: new_task, input: { mode: debug, message: "Work in debug.", name: The docs } }'),
  ...child,
);

describe.concurrent("printed", () => {
  test("the messages of a subtask are printed between its header and its end, its result once", async () => {
    const process = await run(quick, "-p", "-y", "Go");
    expect(await process.end()).toBe(0);
    expect(process.stdout).toBe(
      [
        "[Tool Request] newTask debug",
        "[subtask 1] debug",
        "[task complete] One done.",
        "[subtask ended]",
        "[task complete] All done.",
        "",
      ].join("\n"),
    );
    expect(process.stderr).toBe("");
  });

  test("json has the subtask's events, with its id, before its result, and the cost of all", async () => {
    const process = await run(quick, "-p", "-y", "--ephemeral", "--output-format", "json", "Go");
    expect(await process.end()).toBe(0);
    const event = z.object({
      type: z.string(),
      subtype: z.string().optional(),
      taskId: z.string().optional(),
    });
    const result = z
      .object({ taskId: z.string(), events: z.array(event), cost: z.object({ outputTokens: z.number() }) })
      .parse(JSON.parse(process.stdout));
    const child = `${result.taskId}.1`;
    expect(result.events.map(({ type, subtype, taskId }) => [type, subtype, taskId])).toEqual([
      ["system", "init", undefined],
      ["user", undefined, undefined],
      ["tool_use", "tool", undefined],
      ["user", undefined, child],
      ["assistant", "subtask_result", undefined],
    ]);
    const alone = await run(
      scriptByMode({ mode: "code", turn: completes("All done.") }),
      "-p",
      "--output-format",
      "json",
      "Go",
    );
    expect(await alone.end()).toBe(0);
    const { cost } = z
      .object({ cost: z.object({ outputTokens: z.number() }) })
      .parse(JSON.parse(alone.stdout));
    expect(result.cost.outputTokens).toBeGreaterThan(2 * cost.outputTokens);
  });

  test("a subtask's question ends it with code 1 and the ask's name", async () => {
    const process = await run(asking, "-p", "-y", "Go");
    expect(await process.code).toBe(1);
    expect(process.stderr).toContain("the task asks followup (Which?)");
  });
});

describe.concurrent("on a terminal", () => {
  test("a subtask's asks are answered like the task's own, and the run ends with the task", async () => {
    const process = await run(named, "Go");
    await process.said("? y/n");
    expect(process.stdout).toContain("* Start a subtask The docs in mode debug\n  Work in debug.");
    process.line("y");
    await process.said("A number, or your own answer");
    expect(process.stdout).toContain("== Subtask 1 (The docs) started, mode debug");
    process.line("1");
    await process.said("Type what is missing");
    expect(process.stdout).not.toContain("== Subtask 1 (The docs) ended");
    process.line("y");
    await process.said("Type what is missing", 2);
    expect(process.stdout).toContain("== Subtask 1 (The docs) ended");
    expect(process.stdout.split("One done.")).toHaveLength(2);
    process.line("y");
    expect(await process.code).toBe(0);
  });

  test("an interrupt settles the whole subtask tree, and the root task asks to resume", async () => {
    const process = await run(asking, "-y", "Go");
    await process.said("A number, or your own answer");
    process.child.kill("SIGINT");
    await process.said("Enter to resume");
    process.line("");
    await process.said("Type what is missing");
    expect(process.stdout.split("Enter to resume")).toHaveLength(2);
    process.line("y");
    expect(await process.code).toBe(0);
  });
});
