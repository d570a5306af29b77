import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { openProject } from "../adapters/isolation/project.ts";
import { RecordedTasks } from "../adapters/isolation/recorded-tasks.ts";

async function signalbox(...args: readonly string[]) {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main([...args], io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}

test("after `worktrees merge`, blame names the subtask, its record and model, and verify finds no problem", async () => {
  await using project = await openProject({ "a.txt": "1\n2\n3\n4\n", ".orchestration/.gitkeep": "" });
  const { dataDir } = project;
  const { files } = await project.open("root.1", { parentId: "root" });
  await new RecordedTasks(dataDir).write("root.1", files, "a.txt", "1\ntheirs\n3\n4\n");
  project.files.write("a.txt", "1\n2\n3\nperson\n");
  const merged = await signalbox("worktrees", "merge", "root.1", "--data-dir", dataDir);
  expect([merged.code, project.files.read("a.txt")]).toEqual([0, "1\ntheirs\n3\nperson\n"]);
  const ledger = (...args: readonly string[]) => signalbox("ledger", ...args, "-w", project.files.dir);
  const { stdout } = await ledger("blame", "a.txt:2", "--data-dir", dataDir);
  expect(stdout).toContain("a.txt:2 was written by write_to_file at ");
  expect(stdout).toContain("Task       root.1, record 1\n");
  expect(stdout).toContain("Model      mock/m1\n");
  expect(stdout).toMatch(/^Merged {5}from task root\.1 by a person at .*, line 2 of the ledger$/m);
  const json = await ledger("blame", "a.txt:2", "--data-dir", dataDir, "--format", "json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    found: { kind: "write", line: { task: "root.1" } },
    merges: [{ number: 2, line: { tool: "merge", merged: { by: null } } }],
  });
  expect((await ledger("verify", "--data-dir", dataDir)).stdout).toBe("2 lines of 1 task: no problems.\n");
  const shown = (await signalbox("show", "root.1", "--data-dir", dataDir)).stdout;
  expect(shown).toMatch(/^Model {6}mock\/m1\nFiles {6}merged by a person at 20/m);
});

test("after a command was killed in a worktree, blame names the task, the command, its record and model", async () => {
  await using project = await openProject({ "a.txt": "1\n", ".orchestration/.gitkeep": "" });
  const { dataDir } = project;
  const { files } = await project.open("root.1", { parentId: "root" });
  await new RecordedTasks(dataDir).interrupt("root.1", files, "new.txt", "alpha\n");
  expect((await signalbox("worktrees", "merge", "root.1", "--data-dir", dataDir)).code).toBe(0);
  const ledger = (...args: readonly string[]) =>
    signalbox("ledger", ...args, "-w", project.files.dir, "--data-dir", dataDir);
  const { stdout } = await ledger("blame", "new.txt:1");
  expect(stdout).toContain(
    "new.txt:1 came from the files of task root.1. No record has its write. Calls there were interrupted, and may have made it:\n",
  );
  expect(stdout).toContain("Interrupted execute_command, record 1 of task root.1, mock/m1\n");
  expect(stdout).toMatch(/^Merged {5}from task root\.1 by a person at .*, line 1 of the ledger$/m);
  expect((await ledger("verify")).stdout).toBe("1 line of 1 task: no problems.\n");
});
