import { execFileSync } from "node:child_process";
import { access, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHost } from "../../runtime/host.ts";
import { blameLine, memoryJournal, readLedger, verifyLedger } from "../../store/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { openRig, type Rig } from "../support/host.ts";

const policy = allowEverything();
const FILES = {
  ".orchestration/.gitkeep": "",
  ".gitignore": "*.log\n",
  "a.txt": "one\ntwo\n",
  "b.txt": "b\n",
};
const DONE = "{ text: Done. }";
const LEDGER = ".orchestration/agent_trace.jsonl";
const runs = (command: string, more = "") =>
  `{ tool: execute_command, input: { command: ${JSON.stringify(command)}${more} } }`;
const CLEAN = { problems: [], unchecked: [] };
const linesOf = async ({ dir }: Pick<Rig, "dir">) =>
  (await readLedger(dir)).map(({ line }) => `${line?.tool} ${line?.path}`);

/** A pipe that a command of the workspace waits on by `cat`, until something is written to it. */
function createPipe({ dir }: Pick<Rig, "dir">, name: string): { readonly open: () => Promise<void> } {
  const pipe = path.join(dir, name);
  execFileSync("mkfifo", [pipe]);
  return { open: () => writeFile(pipe, "") };
}

describe("a command's change, in a workspace with a ledger and checkpoints", () => {
  test("is in the ledger as the writes of its call: each file with hashes, lines and the commit before it", async () => {
    const command =
      "printf 'one\\n2\\n' > a.txt; rm b.txt; mkdir c; echo c > c/c.txt; echo x > x.log; git add -A; git commit -qm two";
    await using rig = await openRig({
      script: `[${runs(command)}, ${runs("true")}, ${DONE}]`,
      files: FILES,
      policy,
      checkpoints: true,
    });
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: rig.dir }).toString().trim();
    git("init", "-q", "-b", "work");
    git("config", "user.name", "n");
    git("config", "user.email", "e@x");
    git("commit", "-q", "--allow-empty", "-m", "one");
    const revision = git("rev-parse", "HEAD");
    await rig.task.run("Go");
    await rig.task.close();
    expect(git("rev-parse", "HEAD~1")).toBe(revision);
    const lines = (await readLedger(rig.dir)).map(({ line }) => line);
    expect(lines).toMatchObject([
      { path: "a.txt", lines: [{ before: { start: 2, count: 1 }, after: { start: 2, count: 1 } }] },
      { path: "b.txt", after: null },
      { path: "c/c.txt", before: null },
    ]);
    for (const line of lines)
      expect(line).toMatchObject({ tool: "execute_command", revision, branch: "work", task: rig.task.id });
    expect(new Set(lines.map((line) => line?.sequence)).size).toBe(1);
    expect(await blameLine(rig.dir, "a.txt", 1)).toMatchObject({ isCurrent: true, found: { kind: "older" } });
    expect(await blameLine(rig.dir, "a.txt", 2)).toMatchObject({ found: { kind: "write", number: 1 } });
    expect(await verifyLedger(rig.dir, rig.dataDir)).toEqual({ lines: 3, tasks: 1, ...CLEAN });
  });

  test("is not looked for without checkpoints, or without the folder .orchestration", async () => {
    await using without = await openRig({
      script: `[${runs("echo n > n.txt")}, ${DONE}]`,
      files: FILES,
      policy,
    });
    await without.task.run("Go");
    await without.task.close();
    await expect(readLedger(without.dir)).rejects.toMatchObject({ code: "LEDGER_MISSING" });
    await expect(access(path.join(without.dataDir, "checkpoints"))).rejects.toThrow("ENOENT");

    await using off = await openRig({
      script: `[${runs("echo n > n.txt")}, ${runs("echo m > m.txt")}, ${DONE}]`,
      policy,
      checkpoints: true,
    });
    await off.task.run("Go");
    await off.task.close();
    const [store = ""] = execFileSync("ls", [path.join(off.dataDir, "checkpoints")])
      .toString()
      .split("\n");
    const refs = execFileSync("git", ["for-each-ref"], { cwd: path.join(off.dataDir, "checkpoints", store) });
    // Those of the turns.
    expect(refs.toString().trim().split("\n")).toHaveLength(2);
  });

  test("is recorded with the end of a command in the background, without what other calls wrote", async () => {
    await using rig = await openRig({
      script: `[${runs("cat go; echo a > a.txt; echo n > n.txt; cat on", ", background: true")},
        { tool: write_to_file, input: { path: b.txt, content: "2" } }, ${DONE}]`,
      files: FILES,
      policy,
      checkpoints: true,
    });
    const [go, on] = ["go", "on"].map((name) => createPipe(rig, name));
    await rig.task.run("Go");
    expect(rig.task.snapshot.context.background).toHaveLength(1);
    await go?.open();
    const ended = rig.until(({ commit }) => commit.facts?.background?.length === 0);
    await on?.open();
    await ended;
    await rig.task.close();
    expect(await linesOf(rig)).toEqual([
      "write_to_file b.txt",
      "execute_command a.txt",
      "execute_command n.txt",
    ]);
    expect(await verifyLedger(rig.dir, rig.dataDir)).toMatchObject(CLEAN);
  });

  test.each(["foreground", "background"])(
    "is recorded of a command that a cancel ends: %s",
    async (where) => {
      const more = where === "background" ? ", background: true" : "";
      await using rig = await openRig({
        script: `[${runs("echo n > n.txt; cat ready; sleep 1000", more)}, ${DONE}]`,
        files: FILES,
        policy,
        checkpoints: true,
      });
      const ready = createPipe(rig, "ready");
      const run = rig.task.run("Go");
      await ready.open();
      if (where === "background") await run;
      rig.task.cancel();
      await run;
      await rig.task.close();
      expect(await linesOf(rig)).toEqual(["execute_command n.txt"]);
      expect(await verifyLedger(rig.dir, rig.dataDir)).toMatchObject(CLEAN);
    },
  );

  test("is in the ledger of a process that was killed exactly if it is recorded, when the task is opened", async () => {
    const memory = memoryJournal();
    await using rig = await openRig({
      script: `[${runs("echo n > n.txt")}, ${DONE}]`,
      files: FILES,
      policy,
      checkpoints: true,
      journal: () => memory,
    });
    await rig.task.run("Go");
    await rig.task.close();
    const chunks: Uint8Array[] = [];
    for await (const chunk of memory.read()) chunks.push(chunk);
    const records = Buffer.concat(chunks).toString().split("\n").slice(0, -1);
    const recorded = records.findIndex((record) => record.includes('"writes":['));
    expect(recorded).toBeGreaterThan(records.findIndex((record) => record.includes('"phase":"running"')));
    for (let count = recorded - 2; count <= records.length; count += 1) {
      await rm(path.join(rig.dir, LEDGER));
      const content = Buffer.from(records.slice(0, count).join("\n").concat("\n"));
      const host = createHost({ dataDir: rig.dataDir, journal: () => memoryJournal({ content }) });
      const task = await host.open(rig.task.id, { model: rig.model });
      expect(await linesOf(rig)).toEqual(count > recorded ? ["execute_command n.txt"] : []);
      await task.close();
    }
  });

  test("is reported where it can't be found", async () => {
    const errors: unknown[] = [];
    await using rig = await openRig({
      script: `[${runs("rm -rf ../data/checkpoints/*/objects/*; echo n > n.txt")}, ${DONE}]`,
      files: FILES,
      policy,
      checkpoints: true,
      host: { onError: (error) => errors.push(error) },
    });
    await rig.task.run("Go");
    await rig.task.close();
    expect(errors).toMatchObject([
      { code: "LEDGER_COMMAND", message: expect.stringMatching(/^The files that a command changed are not/) },
    ]);
  });
});
