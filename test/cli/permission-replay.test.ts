import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();

const COMMAND = (command: string) => `{ tool: execute_command, input: { command: ${command} } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

/** A workspace with tasks whose data folder is in it, and the command in it. */
async function place(...scripts: readonly string[]) {
  const workspace = box.newFolder();
  const data = path.join(workspace, "data");
  const run = async (script: string, ...args: readonly string[]) =>
    (await box.onScript(script, ["-p", ...args, "Go"], { workspace })).process.end();
  for (const script of scripts) await run(script);
  const replays = async (...args: readonly string[]) => {
    const all = ["permissions", "replay", ...args, "--data-dir", data];
    const process = new Process(box.bin, all, { cwd: workspace });
    return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
  };
  const idOf = (result: { readonly stdout: string }): string =>
    (JSON.parse(result.stdout) as { byTask: { taskId: string }[] }).byTask[0]?.taskId ?? "";
  return { workspace, data, run, replays, idOf };
}

describe.concurrent("permissions replay", () => {
  test("shows what a rule would have changed in all tasks of the workspace, with totals first", async () => {
    const { replays } = await place(`[${COMMAND("echo one")}, ${DONE}]`, `[${COMMAND("echo two")}, ${DONE}]`);
    const { code, stdout, stderr } = await replays("--allow", "command(echo *)");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines[0]).toBe(
      "With this rule, 2 of 2 asks would not have been asked. 2 calls were judged again.",
    );
    expect(lines[3]).toMatch(/^task +calls +asks +changed +not judged$/);
    expect(lines[4]).toMatch(/^all +2 +2 +2 +0 +2 tasks$/);
    expect(lines[5]).toMatch(/^\w+ +1 +1 +1 +0 +Go$/);
    expect(stdout).toMatch(/record \d+: execute_command echo one\n/);
    expect(stdout).toContain(
      "    asked about because no rule allows 'echo two' -> allowed by command(echo *) in this session\n",
    );
  });

  test("shows one task, and the same as JSON", async () => {
    const { replays, idOf } = await place(`[${COMMAND("echo one")}, ${DONE}]`, `[${COMMAND("ls")}, ${DONE}]`);
    const id = idOf(await replays("--format", "json"));
    const { code, stdout } = await replays(id.slice(0, 8), "--permission-mode", "plan", "--format", "json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      sentence:
        "With the mode plan, 1 call that was allowed or asked about would be denied. 1 call was judged again.",
      tasks: 1,
      byTask: [{ taskId: id }],
      changes: [{ taskId: id, now: { verdict: "deny", because: "mode plan" }, cause: "permissions" }],
    });
  });

  test("names the file and line of a rule of the settings that decides now", async () => {
    const { workspace, replays } = await place(`[${COMMAND("echo one")}, ${DONE}]`);
    mkdirSync(path.join(workspace, ".signalbox"));
    const file = path.join(workspace, ".signalbox/settings.yaml");
    writeFileSync(file, "version: 1\npermissions:\n  deny:\n    - command(echo *)\n");
    const { stdout } = await replays();
    expect(stdout).toContain(
      "With the settings of today alone, 1 call that was allowed or asked about would be denied",
    );
    expect(stdout).toContain(
      "denied by command(echo *) in .signalbox/settings.yaml:4 (by the settings of today)",
    );
  });

  test("reports a damaged journal and skips it; a damaged task that was named is an error", async () => {
    const { data, replays, idOf } = await place(`[${COMMAND("echo one")}, ${DONE}]`);
    const id = idOf(await replays("--format", "json"));
    const folder = path.join(data, "tasks/damaged");
    mkdirSync(folder);
    const journal = readFileSync(path.join(data, "tasks", id, "journal.jsonl"), "utf8");
    writeFileSync(path.join(folder, "journal.jsonl"), journal.split("\n").with(2, "no record").join("\n"));
    const all = await replays();
    expect(all.code).toBe(0);
    expect(all.stderr).toMatch(/^\[CLI\] Warning: the journal of task damaged is damaged: line 3: .*skipped/);
    expect(all.stdout).toMatch(/^all .*1 task$/m);
    const named = await replays("damaged");
    expect(named.code).toBe(1);
    expect(named.stderr).toContain("[CLI] Error: the journal of task damaged is damaged: line 3:");
  });

  test("fails for an invalid rule and for an unknown task, and says what was expected", async () => {
    const { replays } = await place();
    const rule = await replays("--deny", "rm(x)");
    expect(rule.code).toBe(1);
    expect(rule.stderr).toContain(
      "[CLI] Error: The rule 'rm(x)' of deny in the flags is not valid: expected one of read(GLOB)",
    );
    const task = await replays("unknown");
    expect(task.code).toBe(1);
    expect(task.stderr).toContain("unknown");
  });
});
