import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { git } from "../adapters/isolation/project.ts";
import { completes, scriptByMode, subtask } from "../support/subtasks.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();
const ID = "123e4567-e89b-42d3-a456-426614174000";

const write = (content: string): string =>
  `{ tool: write_to_file, input: { path: a.txt, content: "${content}" } }`;
const writes = scriptByMode(
  { mode: "code", after: "write_to_file", turn: completes("Done.") },
  { mode: "code", turn: write("two\\n") },
);

/** A committed repository with the file that a run has, and a file that is not committed. */
function repository(): string {
  const workspace = box.newFolder();
  writeFileSync(path.join(workspace, "a.txt"), "one\n");
  git(workspace, "init", "--quiet");
  git(workspace, "add", "--all");
  git(workspace, "commit", "--quiet", "--message", "Start");
  return workspace;
}

const textIn = (workspace: string, name = "a.txt"): string =>
  readFileSync(path.join(workspace, name), "utf8");

/** Run the script in a worktree of the workspace, to its end. */
async function runInWorktree(workspace: string, script = writes) {
  const args = ["-p", "-y", "--worktree", "--create-with-session-id", ID, "Go"];
  const { process, data } = await box.onScript(script, args, { workspace });
  return { process, data, code: await process.end() };
}

const worktrees = (data: string, ...args: readonly string[]) =>
  box.does("worktrees", ...args, "--data-dir", data);

describe.concurrent("run --worktree", () => {
  test("leaves the workspace as it is, and says how to merge the changes, which merge does", async () => {
    const workspace = repository();
    const { process, data, code } = await runInWorktree(workspace);
    expect(code).toBe(0);
    expect(textIn(workspace)).toBe("one\n");
    expect(process.stderr).toContain("Files of the task, 1 file changed: ");
    expect(process.stderr).toContain(
      `To merge them into ${workspace}: signalbox worktrees merge ${ID} --data-dir ${data}\n`,
    );
    const shown = await worktrees(data, "diff", ID);
    expect(shown.stdout).toContain("-one\n+two");
    const merged = await worktrees(data, "merge", ID.slice(0, 8));
    expect(merged.stdout).toBe(`Merged into ${workspace}: 1 file changed, not committed.\n  a.txt\n`);
    expect(textIn(workspace)).toBe("two\n");
    expect(git(workspace, "status", "--porcelain", "--untracked-files=no")).toBe(" M a.txt\n");
    expect(git(workspace, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect((await worktrees(data, "list")).stdout).toBe(
      "No task has files of its own that are neither merged nor dropped.\n",
    );
    const again = await worktrees(data, "merge", ID.slice(0, 8));
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(new RegExp(`the files of task ${ID} were merged by a person at 20`));
  });

  test("is resumed in its worktree", async () => {
    const workspace = repository();
    const { data } = await runInWorktree(workspace);
    const again = scriptByMode(
      { mode: "code", after: "read_file", turn: completes("Again.") },
      {
        mode: "code",
        after: "attempt_completion",
        turn: "{ tool: read_file, input: { files: [{ path: a.txt }] } }",
      },
    );
    const mock = await startMock(parseScript(again));
    const args = ["run", "-p", "-y", "--session-id", ID, "--data-dir", data, "--base-url", mock.url, "More"];
    const process = new Process(box.bin, args, { cwd: workspace, env: { ANTHROPIC_API_KEY: "sk-test" } });
    expect([await process.end(), process.stderr]).toEqual([0, expect.stringContaining("1 file changed")]);
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("1 | two");
    await mock.close();
    const listed = await worktrees(data, "list", "--format", "json");
    const [record] = JSON.parse(listed.stdout).worktrees;
    expect(record).toMatchObject({ id: ID, kind: "worktree", source: workspace, changed: 1, state: "ready" });
    expect(textIn(record.workspace)).toBe("two\n");
  });

  test("merges nothing in conflict unless the user chooses, and drops nothing without a yes", async () => {
    const workspace = repository();
    const { data } = await runInWorktree(workspace);
    writeFileSync(path.join(workspace, "a.txt"), "mine\n");
    const refused = await worktrees(data, "merge", ID);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain(
      "Nothing was merged. Files in conflict:\n  a.txt: both changed the lines from 1 on",
    );
    expect(textIn(workspace)).toBe("mine\n");
    const unconfirmed = await worktrees(data, "drop", ID);
    expect([unconfirmed.code, unconfirmed.stdout]).toEqual([1, "  a.txt\n"]);
    expect(unconfirmed.stderr).toContain("Add --yes to remove without asking.");
    const marked = await worktrees(data, "merge", ID, "--conflicts", "mark");
    expect(marked.code).toBe(0);
    expect(textIn(workspace)).toBe(`<<<<<<< this task\nmine\n=======\ntwo\n>>>>>>> ${ID}\n`);
  });

  test("drops what is confirmed", async () => {
    const workspace = repository();
    const { data } = await runInWorktree(workspace);
    expect((await worktrees(data, "drop", ID, "--yes")).stdout).toBe(
      `Removed the files of ${ID}.\n  a.txt\n`,
    );
    expect(git(workspace, "branch", "--list")).not.toContain("signalbox");
    expect(textIn(workspace)).toBe("one\n");
    const unknown = await worktrees(data, "merge", ID);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining(`the files of task ${ID} were dropped by a person at 20`),
    ]);
  });

  test("works in a copy where there is no repository", async () => {
    const workspace = box.newFolder();
    const { data, process } = await runInWorktree(workspace);
    expect(process.stderr).toContain("1 file changed");
    expect(textIn(workspace)).toBe("one\n");
    expect((await worktrees(data, "merge", ID)).code).toBe(0);
    expect(textIn(workspace)).toBe("two\n");
  });

  test("ends as it would without the damaged record of another task", async () => {
    const workspace = repository();
    const folder = path.join(workspace, "data/worktrees/other.1");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "record.json"), "{");
    const { process, code } = await runInWorktree(workspace);
    expect([code, process.stderr]).toEqual([
      0,
      expect.stringContaining("Files of the task, 1 file changed: "),
    ]);
  });

  test("can't resume a task, which has its files already", async () => {
    const { code, stderr } = await box.does("run", "-p", "--worktree", "--session-id", ID, "Go");
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot be used with option")]);
  });
});

describe.concurrent("a process that was killed", () => {
  const waits = "{ text: I wait for the rest of this response., chunk: 6, stallMs: 600000, after: 2 }";
  const waiting = scriptByMode(
    { mode: "code", after: "write_to_file", turn: waits },
    { mode: "code", turn: write("two\\n") },
  );

  test("leaves its worktree, which is listed, and merged later (kill -9)", async () => {
    const workspace = repository();
    const args = ["-p", "-y", "--worktree", "--create-with-session-id", ID];
    const stream = ["--output-format", "stream-json", "Go"];
    const { process, data } = await box.onScript(waiting, [...args, ...stream], { workspace });
    await process.said("I wait");
    const busy = await worktrees(data, "merge", ID);
    expect(busy.stderr).toContain(`task ${ID} is open in another process`);
    process.child.kill("SIGKILL");
    await process.code;
    const listed = await worktrees(data, "list");
    expect(listed.stdout).toMatch(
      new RegExp(
        `^ID\\tKind\\t.*\\tTitle\\n${ID}\\tworktree\\t.*\\t1 file changed\\tfrom ${workspace}\\t.*\\tGo\\n$`,
      ),
    );
    expect((await worktrees(data, "merge", ID)).code).toBe(0);
    expect(textIn(workspace)).toBe("two\n");
  });

  /** A run whose subtask wrote in its own worktree when the process was killed. */
  async function killedWithSubtask(workspace: string): Promise<string> {
    const config = box.newFolder();
    const settings = path.join(config, "signalbox");
    mkdirSync(settings);
    writeFileSync(path.join(settings, "settings.yaml"), "version: 1\nisolation: worktree\n");
    const script = scriptByMode(
      { mode: "code", turn: subtask("debug") },
      { mode: "debug", after: "write_to_file", turn: waits },
      { mode: "debug", turn: write("two\\n") },
    );
    const args = ["-p", "-y", "--create-with-session-id", ID, "--output-format", "stream-json", "Go"];
    const run = await box.onScript(script, args, { workspace, env: { XDG_CONFIG_HOME: config } });
    await run.process.said("I wait");
    run.process.child.kill("SIGKILL");
    await run.process.code;
    return run.data;
  }

  test("leaves the worktrees of its subtasks, and the list has them", async () => {
    const workspace = repository();
    const data = await killedWithSubtask(workspace);
    expect(textIn(workspace)).toBe("one\n");
    const listed = await worktrees(data, "list");
    expect(listed.stdout).toContain(`${ID}.1\tworktree`);
    expect((await worktrees(data, "merge", `${ID}.1`)).code).toBe(0);
    expect(textIn(workspace)).toBe("two\n");
    expect(readdirSync(path.join(data, "worktrees", `${ID}.1`))).toEqual(["end.json"]);
  });

  test("leaves a subtask that its id in the list of tasks selects, and its parent's id never", async () => {
    const workspace = repository();
    const data = await killedWithSubtask(workspace);
    for (const command of [["merge"], ["drop", "--yes"]]) {
      const { code, stderr } = await worktrees(data, ...command, ID);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`no task ${ID} has files of its own`)]);
    }
    expect((await worktrees(data, "merge", `${ID.slice(0, 8)}.1`)).code).toBe(0);
    expect(textIn(workspace)).toBe("two\n");
  });
});
