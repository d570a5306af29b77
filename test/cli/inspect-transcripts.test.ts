import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { encodeLine } from "../../store/journal/line.ts";
import { taskListSchema } from "../../wire/http/api.ts";
import { TRANSCRIPTS } from "../visualize/trace/transcripts/fixtures.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();
const CLAUDE = path.join(TRANSCRIPTS, "claude-code.jsonl");

/** Run `inspect` until it serves, and return its tasks with what it printed. */
async function inspect(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const tmp = box.newFolder();
  const process = new Process(box.bin, ["inspect", "--port", "0", ...args], {
    cwd: tmp,
    env: { TMPDIR: tmp, ...env },
  });
  await process.said("Open http");
  const address = new URL(/Open (\S+)/.exec(process.stdout)?.[1] ?? "");
  const token = new URLSearchParams(address.hash.slice(1)).get("token");
  const entered = await fetch(new URL("/api/session", address), {
    method: "POST",
    headers: { "content-type": "application/json", origin: address.origin },
    body: JSON.stringify({ token }),
  });
  const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const listed = await fetch(new URL("/api/tasks", address), { headers: { cookie } });
  const { tasks } = taskListSchema.parse(await listed.json());
  const data = /Serving (\S+)/.exec(process.stdout)?.[1] ?? "";
  const journals = tasks.map(({ id }) => readFileSync(path.join(data, "tasks", id, "journal.jsonl"), "utf8"));
  process.child.kill("SIGTERM");
  await process.code;
  return { tasks, journals, data, address, stdout: process.stdout, stderr: process.stderr };
}

describe("inspect of a session of another agent", () => {
  test("serves the session and its subagent as tasks that name their format, and removes them at the end", async () => {
    const { tasks, data, address, stderr } = await inspect([CLAUDE]);
    const transcript = { name: "Claude Code", version: "2.1.230" };
    const [main, subagent] = [...tasks].sort((one, other) => one.id.length - other.id.length);
    expect(main).toMatchObject({ title: "Totals of the cart", state: "idle", rest: "completed", transcript });
    expect(subagent).toMatchObject({ parentId: main?.id, transcript });
    expect(address.hash).toContain(`task=${main?.id}`);
    expect(stderr).toBe("");
    expect(existsSync(data)).toBe(false);
  });

  test("reads a folder with all its sessions, and the subagents in files of their own", async () => {
    const folder = box.newFolder();
    const lines = readFileSync(CLAUDE, "utf8").trimEnd().split("\n");
    const own = lines.filter(
      (line) => line.includes('"agentId": "a77"') && line.includes('"isSidechain": true'),
    );
    mkdirSync(path.join(folder, "s1/subagents"), { recursive: true });
    writeFileSync(path.join(folder, "s1.jsonl"), lines.filter((line) => !own.includes(line)).join("\n"));
    writeFileSync(path.join(folder, "s1/subagents/agent-a77.jsonl"), own.join("\n"));
    writeFileSync(path.join(folder, "notes.json"), "{}");
    const { tasks, stderr } = await inspect([`${folder}/`]);
    expect(tasks.map(({ parentId }) => parentId !== undefined).sort()).toEqual([false, true]);
    expect(stderr).toContain("notes.json: expected a session of a known agent");
  });

  test("finds the newest sessions in the usual folders, up to the requested number, and changes nothing there", async () => {
    const home = box.newFolder();
    const claude = path.join(home, ".claude/projects/-home-ann-shop/s1.jsonl");
    const codex = path.join(home, "codex/sessions/2026/11/03/rollout-2026-11-03T14-00-00-x.jsonl");
    for (const [to, from] of [
      [claude, CLAUDE],
      [codex, path.join(TRANSCRIPTS, "codex.jsonl")],
    ] as const) {
      mkdirSync(path.dirname(to), { recursive: true });
      copyFileSync(from, to);
    }
    utimesSync(claude, 1, 1);
    utimesSync(codex, 2, 2);
    const env = { HOME: home, XDG_CONFIG_HOME: home, CODEX_HOME: path.join(home, "codex") };
    const all = await inspect(["--agents"], env);
    expect(all.stdout).toContain("Found 2 sessions (1 of Claude Code, 1 of Codex). Nothing is written");
    expect(all.address.hash).toContain("view=tasks");
    expect(all.tasks).toHaveLength(3);
    const newest = await inspect(["--agents", "--max-sessions", "1"], env);
    expect(newest.stdout).toContain("the newest 1 are shown, see --max-sessions");
    expect(newest.tasks.map(({ transcript }) => transcript?.name)).toEqual(["Codex"]);
    expect(readdirSync(path.dirname(claude))).toEqual(["s1.jsonl"]);
    expect(statSync(codex).mtimeMs).toBe(2_000);
  });

  test("masks the secrets of a session on request", async () => {
    const file = path.join(box.newFolder(), "s.jsonl");
    const key = `sk-ant-${"a1B2".repeat(8)}`;
    writeFileSync(file, readFileSync(CLAUDE, "utf8").replace("Only fix cart.ts.", `Use ${key}.`));
    expect((await inspect([file])).journals.join("")).toContain(key);
    const { journals } = await inspect([file, "--mask-secrets"]);
    expect(journals.join("")).toContain("Use [masked]");
    expect(journals.join("")).not.toContain(key);
  });

  test("rejects a file that is neither a journal nor a session, with both names", async () => {
    const file = path.join(box.newFolder(), "x.jsonl");
    writeFileSync(file, '{"hello":1}\n');
    const { code, stderr } = await box.does("inspect", "--port", "0", file);
    expect(code).toBe(1);
    expect(stderr).toContain("x.jsonl: expected a journal, or a session of an agent");
  });
});

describe("inspect without a task", () => {
  test("opens the only task, and the list of all tasks where there are several", async () => {
    const dataDir = box.newFolder();
    const put = (id: string): void => {
      mkdirSync(path.join(dataDir, "tasks", id), { recursive: true });
      const header = { seq: 0, kind: "header", version: 3, taskId: id, createdAt: 1 } as const;
      writeFileSync(path.join(dataDir, "tasks", id, "journal.jsonl"), `${encodeLine(header)}\n`);
    };
    put("one");
    expect((await inspect(["--data-dir", dataDir])).address.hash).not.toContain("view=tasks");
    put("two");
    expect((await inspect(["--data-dir", dataDir])).address.hash).toContain("view=tasks");
  });
});
