import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { commandHook } from "../../adapters/hooks/command-hook.ts";
import { DONE, openRig, resultsOf } from "../support/host.ts";
import { openRepository, write } from "../support/isolated-subtasks.ts";
import { hasSandbox } from "../support/sandbox.ts";
import { completes, scriptByMode, subtask } from "../support/subtasks.ts";

/** A call of a command. */
const run = (command: string, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ tool: "execute_command", input: { command, ...more } });

describe.skipIf(!hasSandbox)("a task with a sandbox", () => {
  let outside: string;
  beforeEach(() => {
    outside = mkdtempSync(path.join(homedir(), ".signalbox-task-"));
    vi.stubEnv("TMPDIR", outside);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(outside, { recursive: true });
  });

  test("runs its commands in it, not in the editor, and shows the model and the person what was blocked", async () => {
    const command = `echo x > made; echo x > '${outside}/made'; curl -s http://example.com`;
    await using rig = await openRig({
      script: `[${run(command)}, ${DONE}]`,
      permissions: { level: "bypass" },
      sandbox: {},
      editor: () => ({ runCommand: () => Promise.reject(new Error("not in the editor")) }),
    });
    await rig.task.run("Go");
    expect(await rig.file("made")).toBe("x\n");
    expect(existsSync(path.join(outside, "made"))).toBe(false);
    const note = `[The sandbox blocked writing ${outside}/made, the host example.com. Only the user can allow it, in the settings: sandbox.write (the folder of a new file), sandbox.hosts.]`;
    expect(rig.sent().flatMap(resultsOf).join()).toContain(note);
    expect([...rig.task.log].map(({ text }) => text).join("\n")).toContain(note);
  });

  test("keeps the temporary files of its commands until it is closed", async () => {
    {
      await using rig = await openRig({
        script: `[${run("echo kept > /tmp/a")}, ${run("cat /tmp/a")}, ${DONE}]`,
        permissions: { level: "bypass" },
        sandbox: {},
      });
      await rig.task.run("Go");
      expect(rig.sent().flatMap(resultsOf).join()).toContain("Output:\nkept");
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test("ends a command in the background with all its processes when it is closed", async () => {
    let pid = 0;
    {
      await using rig = await openRig({
        // The first command waits for the probes of the sandbox.
        script: `[${run("true")}, ${run("setsid sleep 1000 & exec sleep 1000", { background: true })}, ${DONE}]`,
        permissions: { level: "bypass" },
        sandbox: {},
      });
      await rig.task.run("Go");
      const [, found = "0"] = /pid (\d+)/.exec(JSON.stringify([...rig.task.log])) ?? [];
      pid = Number(found);
      expect(existsSync(`/proc/${pid}`)).toBe(true);
    }
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test("denies in the folder that a worktree is from what it denies there, and the files of other tasks", async () => {
    const inParent = `at=$(git rev-parse --git-common-dir | xargs dirname); cat $at/secret $at/sub/.env $at/open`;
    const inSubtask = `cat "$(git worktree list | tail -1 | cut -d ' ' -f 1)/open"`;
    const script = scriptByMode(
      { mode: "one", after: "execute_command", turn: completes("Done.") },
      { mode: "one", turn: run(`echo x > made; ${inParent}`) },
      { mode: "code", after: "execute_command", turn: completes("All done.") },
      { mode: "code", after: "new_task", turn: run(inSubtask) },
      { mode: "code", turn: subtask("one") },
    );
    await using rig = await openRepository(script, {
      files: { secret: "key 1\n", "sub/.env": "key 2\n", open: "seen\n" },
      permissions: { level: "bypass" },
      sandbox: { denyRead: ["secret", "**/.env"] },
    });
    expect((await rig.task.run("Go")).result).toBe("All done.");
    const outputs = rig.sent().flatMap(resultsOf).join();
    expect(outputs).toContain(`[The sandbox blocked reading ${rig.dir}/secret, reading ${rig.dir}/sub/.env.`);
    expect(outputs).toContain("\nseen\n");
    expect(outputs).not.toContain("key ");
    expect(outputs).toMatch(/worktrees\/root\.1\/\S*\/open: Permission denied/);
  });

  test("denies the same to a hook that runs in the worktree", async () => {
    const command = `at=$(git rev-parse --git-common-dir | xargs dirname)
      seen=$(cat $at/secret $at/open 2> /dev/null | tr '\n' ' ')
      printf '{"decision":"deny","reason":"It read %s."}' "$seen"`;
    const script = scriptByMode(
      { mode: "one", after: "write_to_file", turn: completes("Done.") },
      { mode: "one", turn: write("made", "x") },
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
    );
    const sandbox = { denyRead: ["secret"] };
    const tools = ["write_to_file"];
    await using rig = await openRepository(script, {
      files: { secret: "key\n", open: "seen\n" },
      hooks: [commandHook({ name: "reader", points: ["beforeTool"], tools, command, sandbox })],
    });
    expect((await rig.task.run("Go")).result).toBe("All done.");
    expect(rig.sent().flatMap(resultsOf).join()).toContain("It read seen .");
  });

  test("is not asked in mode auto about what a line runs, if its commands are allowed", async () => {
    const options = {
      script: `[${run("echo $(echo made) > made")}, ${DONE}]`,
      permissions: { level: "auto" },
    } as const;
    await using allowing = await openRig({ ...options, sandbox: { allowCommands: true } });
    await allowing.task.run("Go");
    expect(await allowing.file("made")).toBe("made\n");
    await using asking = await openRig({ ...options, sandbox: {} });
    const end = asking.task.run("Go");
    await (await asking.ask("command")).approve();
    await end;
    expect(await asking.file("made")).toBe("made\n");
  });
});

test("a task with a sandbox is rejected where none can be created", async () => {
  vi.stubEnv("PATH", "/nowhere");
  try {
    await expect(openRig({ script: `[${DONE}]`, sandbox: {} })).rejects.toMatchObject({
      code: "SANDBOX_MISSING",
      message: expect.stringMatching(/Install the package bubblewrap/),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});

test("a task with a rule of a sandbox that is not valid is rejected", async () => {
  await expect(
    openRig({ script: `[${DONE}]`, sandbox: { hosts: ["https://a.test/"] } }),
  ).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringMatching(/sandbox\.hosts\[0\]: expected a host such as/),
  });
});
