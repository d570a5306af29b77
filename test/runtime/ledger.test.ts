import { execFileSync } from "node:child_process";
import { access, readFile, truncate } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import {
  blameLine,
  fileJournal,
  type JournalDriver,
  JournalError,
  memoryJournal,
  readJournal,
  readLedger,
  verifyLedger,
} from "../../store/index.ts";
import { entriesOf } from "../../store/ledger/derivation.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { allowEverything, builtinTools, defineTool, OPTIONAL_TOOLS } from "../../tools/index.ts";
import { openRig, type Rig } from "../support/host.ts";
import { deferred } from "../support/model.ts";

const tools = builtinTools({ include: OPTIONAL_TOOLS });
const policy = allowEverything();
const ON = { ".orchestration/.gitkeep": "" };
const LEDGER = ".orchestration/agent_trace.jsonl";
const WRITES = '{ tool: write_to_file, input: { path: a.txt, content: "one\\ntwo\\n" } }';
const EDITS = '{ tool: edit_file, input: { path: a.txt, old_string: two, new_string: "2\\n3" } }';
const PATCHES =
  '{ tool: apply_patch, input: { patch: "*** Begin Patch\\n*** Add File: b.txt\\n+b\\n*** Delete File: a.txt\\n*** End Patch" } }';
const DONE = "{ text: Done. }";

const verify = ({ dir, dataDir }: Pick<Rig, "dir" | "dataDir">) => verifyLedger(dir, dataDir);
const CLEAN = { problems: [], unchecked: [] };
const linesOf = async ({ dir }: Pick<Rig, "dir">) =>
  (await readLedger(dir)).map(({ line }) => `${line?.tool} ${line?.path}`);

describe("the ledger of a workspace", () => {
  test("has each committed write of a task once and in order, with model, commit and branch", async () => {
    await using rig = await openRig({
      script: `[${WRITES}, ${EDITS}, ${PATCHES}, ${DONE}]`,
      files: ON,
      tools,
      policy,
    });
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: rig.dir });
    git("init", "-q", "-b", "work");
    git("commit", "-q", "--allow-empty", "-m", "first");
    await rig.task.run("Go");
    await rig.task.close();
    expect(await linesOf(rig)).toEqual([
      "write_to_file a.txt",
      "edit_file a.txt",
      "apply_patch b.txt",
      "apply_patch a.txt",
    ]);
    const revision = git("rev-parse", "HEAD").toString().trim();
    for (const { line } of await readLedger(rig.dir))
      expect(line).toMatchObject({
        task: rig.task.id,
        intent: null,
        model: "anthropic/claude-sonnet-4-5",
        revision,
        branch: "work",
      });
    expect(await verify(rig)).toEqual({ lines: 4, tasks: 1, ...CLEAN });
    expect(await blameLine(rig.dir, "b.txt", 1)).toMatchObject({
      isCurrent: true,
      found: { kind: "write", number: 3 },
    });
  });

  test("is not written, and the journal has no writes, without the folder .orchestration", async () => {
    await using rig = await openRig({ script: `[${WRITES}, ${DONE}]`, policy });
    await rig.task.run("Go");
    await rig.task.close();
    await expect(access(path.join(rig.dir, ".orchestration"))).rejects.toThrow("ENOENT");
    const journal = await readFile(path.join(taskFolder(rig.dataDir, rig.task.id), "journal.jsonl"), "utf8");
    expect(journal).toContain('"settled"');
    expect(journal).not.toContain('"writes":[');
  });

  test("has the write of a call that was cancelled while it ran", async () => {
    const written = deferred();
    const slow = defineTool({
      name: "slow",
      description: "Writes, and waits.",
      inputSchema: z.object({}),
      effect: "writes",
      execute: async (_, { workspace, signal }) => {
        await workspace.write("slow.txt", "s");
        written.resolve();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        return "aborted";
      },
    });
    await using rig = await openRig({
      script: `[{ tool: slow, input: {} }, ${DONE}]`,
      files: ON,
      tools: [...tools, slow],
      policy,
    });
    const run = rig.task.run("Go");
    await written.promise;
    rig.task.cancel();
    await run;
    await rig.task.close();
    expect(await linesOf(rig)).toEqual(["slow slow.txt"]);
    expect(await verify(rig)).toMatchObject(CLEAN);
  });

  test.each(["allow", "deny", "stopped"] as const)(
    "has a write once whose result a hook sees: %s",
    async (kind) => {
      const reached = deferred();
      await using rig = await openRig({
        script: `[${WRITES}, ${DONE}]`,
        files: ON,
        policy,
        hooks: [
          {
            name: "watch",
            afterWrite: async (_, { signal }) => {
              reached.resolve();
              if (kind === "stopped")
                await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
              return kind === "allow" ? { kind } : { kind: "deny", reason: "No." };
            },
          },
        ],
      });
      const run = rig.task.run("Go");
      await reached.promise;
      if (kind === "stopped") rig.task.cancel();
      await run;
      await rig.task.close();
      expect(await linesOf(rig)).toEqual(["write_to_file a.txt"]);
      expect(await verify(rig)).toMatchObject(CLEAN);
    },
  );

  test("has a write once whose record was written only when the journal worked again", async () => {
    const memory = memoryJournal();
    let failures = 0;
    const journal: JournalDriver = {
      ...memory,
      async append(lines, options) {
        if (failures === 0 && lines.some((line) => line.includes('"writes":['))) {
          failures += 1;
          throw new JournalError("JOURNAL_FULL", "(memory)", "The disk is full.");
        }
        await memory.append(lines, options);
      },
    };
    await using rig = await openRig({
      script: `[${WRITES}, ${DONE}]`,
      files: ON,
      policy,
      journal: () => journal,
    });
    await expect(rig.task.run("Go")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    expect(failures).toBe(1);
    await expect(readLedger(rig.dir)).rejects.toMatchObject({ code: "LEDGER_MISSING" });
    await rig.task.flushed();
    await rig.task.close();
    expect(await linesOf(rig)).toEqual(["write_to_file a.txt"]);
  });

  test("gets what is missing when a task is opened, and is never given a line twice", async () => {
    await using rig = await openRig({ script: `[${WRITES}, ${EDITS}, ${DONE}]`, files: ON, tools, policy });
    await rig.task.run("Go");
    await rig.task.close();
    const whole = await rig.file(LEDGER);
    await truncate(path.join(rig.dir, LEDGER), whole.indexOf("\n") + 1);
    const options = {
      model: anthropic({ model: "m", apiKey: "mock", baseURL: rig.mock?.url }),
      tools,
      permissions: { judge: policy },
    };
    for (const _ of [1, 2]) {
      const task = await rig.host.open(rig.task.id, options);
      expect(await rig.file(LEDGER)).toBe(whole);
      await task.close();
    }
  });

  test("has the new writes of a fork under the id of the fork", async () => {
    await using rig = await openRig({
      script: `[${WRITES}, ${DONE}, ${EDITS}, ${DONE}]`,
      files: ON,
      tools,
      policy,
    });
    await rig.task.run("Go");
    await rig.task.close();
    const { id } = await openHistory({ dataDir: rig.dataDir }).fork(rig.task.id);
    const fork = await rig.host.open(id, {
      model: anthropic({ model: "m", apiKey: "mock", baseURL: rig.mock?.url }),
      tools,
      permissions: { judge: policy },
    });
    await fork.run("Edit it");
    await fork.close();
    expect((await readLedger(rig.dir)).map(({ line }) => line?.task)).toEqual([rig.task.id, id]);
    expect(await verify(rig)).toEqual({ lines: 2, tasks: 2, ...CLEAN });
  });

  test("equals the writes of the journals of tasks that work at once, also of passive ones", async () => {
    await using rig = await openRig({ script: `[${DONE}]`, files: ON, policy });
    const host = createHost({ dataDir: rig.dataDir, maxResident: 1 });
    const names = ["one", "two", "three"];
    const mocks = await Promise.all(
      names.map((name) => {
        const calls = [1, 2, 3, 4].map(
          (count) => `{ tool: write_to_file, input: { path: shared.txt, content: "${name} ${count}" } }`,
        );
        return startMock(parseScript(`[${calls.slice(0, 2)}, ${DONE}, ${calls.slice(2)}, ${DONE}]`));
      }),
    );
    const tasks = await Promise.all(
      mocks.map(({ url }) =>
        host.create({
          model: anthropic({ model: "m", apiKey: "mock", baseURL: url }),
          workspace: rig.dir,
          permissions: { judge: policy },
        }),
      ),
    );
    for (const prompt of ["Go", "Go on"]) await Promise.all(tasks.map((task) => task.run(prompt)));
    await host.closeAll();
    for (const mock of mocks) await mock.close();
    const lines = await readLedger(rig.dir);
    expect(lines).toHaveLength(12);
    for (const { id } of tasks) {
      const driver = fileJournal({ dir: taskFolder(rig.dataDir, id) });
      const own = lines.flatMap(({ line }) => (line?.task === id ? [line] : []));
      const { entries } = await entriesOf(id, driver);
      expect(own.map(({ hash: _, previous: __, ...entry }) => entry)).toEqual(entries);
      const records: number[] = [];
      for await (const record of readJournal(driver, { onTail: () => undefined }))
        if (JSON.stringify(record).includes('"writes":[')) records.push(record.seq);
      expect(own.map(({ sequence }) => sequence)).toEqual(records);
    }
    expect(await verify(rig)).toEqual({ lines: 12, tasks: 3, ...CLEAN });
  });
});
