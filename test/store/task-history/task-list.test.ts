import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { readTask } from "../../../store/task-history/recorded-task.ts";
import { listTasks } from "../../../store/task-history/task-list.ts";
import { renameTask } from "../../../store/task-history/title.ts";
import { JOURNAL_VERSION } from "../../../wire/journal/record.ts";
import { choice } from "../../support/random-events.ts";
import { Archive, commit, costing, started, writeRandom } from "./data-folder.ts";

const unused = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

describe("the task list", () => {
  test("summarizes each task, newest first", async () => {
    using archive = new Archive();
    archive.write(
      "a",
      [started("Fix the tests\nand the docs"), commit(2, { ...costing(0.5), after: "idle.completing" })],
      {
        workspace: "/src",
      },
    );
    archive.write("b", [started("  \n Tidy  up "), commit(2, { after: "streaming.receiving", at: 99 })], {
      forkedFrom: { taskId: "a", seq: 1 },
    });
    archive.write("b.1", [started("Help")], { parent: { taskId: "b", rootId: "b", callId: "c" } });
    archive.write("empty", []);
    const before = archive.hash;
    expect(await listTasks({ dataDir: archive.dataDir })).toEqual([
      {
        id: "b",
        title: "Tidy up",
        forkedFrom: { taskId: "a", seq: 1 },
        createdAt: 1,
        updatedAt: 99,
        state: "resumable",
        isInterrupted: true,
        rest: "interrupted",
        isCompleted: false,
        ...unused,
        mode: "code",
        bytes: archive.bytes("b").length,
        lastSeq: 2,
      },
      {
        id: "a",
        title: "Fix the tests",
        workspace: "/src",
        createdAt: 1,
        updatedAt: 20,
        state: "idle",
        isInterrupted: false,
        rest: "completed",
        isCompleted: true,
        ...costing(0.5).facts?.total,
        mode: "code",
        bytes: archive.bytes("a").length,
        lastSeq: 2,
      },
      {
        id: "b.1",
        title: "Help",
        parentId: "b",
        rootId: "b",
        createdAt: 1,
        updatedAt: 10,
        state: "resumable",
        isInterrupted: true,
        rest: "interrupted",
        isCompleted: false,
        ...unused,
        mode: "code",
        bytes: archive.bytes("b.1").length,
        lastSeq: 1,
      },
      {
        id: "empty",
        title: "",
        createdAt: 1,
        updatedAt: 1,
        state: "no_task",
        isInterrupted: false,
        isCompleted: false,
        ...unused,
        mode: "code",
        bytes: archive.bytes("empty").length,
        lastSeq: 0,
      },
    ]);
    expect(archive.hash).toBe(before);
  });

  test("is empty without a data folder, and skips everything that is not a task", async () => {
    using archive = new Archive();
    expect(await listTasks({ dataDir: path.join(archive.dataDir, "none") })).toEqual([]);
    archive.write(".fork-x", [started("half a fork")]);
    writeFileSync(path.join(archive.folder(".fork-x"), "../file"), "");
    archive.put("x", "");
    expect(await listTasks({ dataDir: archive.dataDir })).toMatchObject([
      { id: "x", problem: { kind: "unreadable" } },
    ]);
  });

  test("can be limited to a workspace, by its real path, and to a number of tasks", async () => {
    using archive = new Archive();
    for (const id of ["a", "b", "c"])
      archive.write(id, [started(id)], { workspace: id === "b" ? "/other" : archive.dataDir });
    const workspace = path.join(archive.dataDir, "tasks/..");
    const ids = async (options: object) =>
      (await listTasks({ dataDir: archive.dataDir, ...options })).map(({ id }) => id);
    expect(await ids({ workspace })).toEqual(["a", "c"]);
    expect(await ids({ workspace: "/other" })).toEqual(["b"]);
    expect(await ids({ limit: 2 })).toEqual(["a", "b"]);
  });

  test("has a subtask that works in a folder of its own with its root", async () => {
    using archive = new Archive();
    archive.write("a", [started("a")], { workspace: archive.dataDir });
    const parent = { taskId: "a", rootId: "a", callId: "c" };
    archive.write("a.1", [started("one")], { workspace: "/worktree", parent });
    const listed = await listTasks({ dataDir: archive.dataDir, workspace: archive.dataDir });
    expect(listed.map(({ id }) => id)).toEqual(["a", "a.1"]);
  });

  test("an open task has a holder, is not interrupted, and may have an incomplete last line", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    const driver = fileJournal({ dir: archive.folder("a") });
    await driver.own();
    writeFileSync(archive.journal("a"), `${archive.bytes("a")}{"crc":"`);
    expect(await listTasks({ dataDir: archive.dataDir })).toMatchObject([
      { id: "a", heldBy: { pid: process.pid, isSeen: true }, isInterrupted: false, lastSeq: 1 },
    ]);
    expect((await listTasks({ dataDir: archive.dataDir }))[0]).not.toHaveProperty("problem");
    await driver.close();
    const [left] = await listTasks({ dataDir: archive.dataDir });
    expect(left).toMatchObject({ isInterrupted: true, lastSeq: 1, problem: { kind: "torn" } });
    expect(left).not.toHaveProperty("heldBy");
  });

  test("a task before the delivery of a queued message is completed", async () => {
    using archive = new Archive();
    archive.write("a", [started("go"), commit(2, { after: "idle.delivering" })]);
    expect(await listTasks({ dataDir: archive.dataDir })).toMatchObject([
      { state: "idle", isCompleted: true, isInterrupted: false },
    ]);
  });

  test("has the ask that a task waits for, with the text that its stream ended with", async () => {
    using archive = new Archive();
    const ask = { ts: 20, type: "ask", ask: "command", text: "", partial: true } as const;
    archive.write("a", [
      started("go"),
      commit(2, {
        ...costing(1),
        after: "streaming.receiving",
        log: [{ type: "message.appended", message: ask }],
      }),
      commit(3, {
        ...costing(2),
        after: "waiting_for_input.approval",
        log: [{ type: "message.amended", ts: 20, patch: { text: "npm test", partial: false } }],
      }),
      commit(4, { before: "waiting_for_input.approval", after: "waiting_for_input.approval" }),
    ]);
    expect(await listTasks({ dataDir: archive.dataDir })).toMatchObject([
      { ask: { askId: 20, kind: "command", text: "npm test" }, cost: 2 },
    ]);
  });

  test("has the ask that was withdrawn when the task was interrupted, with its newest text", async () => {
    using archive = new Archive();
    const ask = { ts: 20, type: "ask", ask: "command", text: "npm", partial: true } as const;
    const resume = { ts: 30, type: "ask", ask: "resume_task", text: "" } as const;
    archive.write("a", [
      started("go"),
      commit(2, { ...costing(1), log: [{ type: "message.appended", message: ask }] }),
      commit(3, { log: [{ type: "message.amended", ts: 20, patch: { text: "npm test", partial: false } }] }),
      commit(4, {
        ...costing(2),
        cause: { type: "task.cancel", origin: "close", at: 30 },
        after: "resumable",
        log: [
          { type: "message.amended", ts: 20, patch: { closing: "withdrawn" } },
          { type: "message.appended", message: resume },
        ],
      }),
    ]);
    const { dataDir } = archive;
    const stoppedAsk = { kind: "command", text: "npm test" };
    expect(await listTasks({ dataDir })).toMatchObject([{ stoppedAsk, ask: { kind: "resume_task" } }]);
    expect(await readTask(fileHistory(dataDir), "a")).toMatchObject({ stoppedAsk });
  });

  test.each([
    [{ type: "task.cancel" }, true],
    [{ type: "task.cancel", origin: "user" }, true],
    [{ type: "ask.answered" }, true],
    [{ type: "task.cancel", origin: "close" }, undefined],
    [{ type: "task.recovered" }, undefined],
  ] as const)("says whether a person ended the work of a task: %j", async (cause, isCancelled) => {
    using archive = new Archive();
    const message = { ts: 20, type: "ask", ask: "resume_task", text: "" } as const;
    const log = [{ type: "message.appended", message }] as const;
    archive.write("a", [started("go"), commit(2, { cause: { ...cause, at: 20 }, after: "resumable", log })]);
    const [task] = await listTasks({ dataDir: archive.dataDir });
    expect(task?.isCancelled).toBe(isCancelled);
  });

  test("shortens the long fields of an ask, so that its form remains", async () => {
    using archive = new Archive();
    const text = JSON.stringify({ tool: "newFileCreated", path: "a.ts", content: "x".repeat(5_000) });
    const message = { ts: 20, type: "ask", ask: "tool", text } as const;
    const log = [{ type: "message.appended", message }] as const;
    archive.write("a", [started("go"), commit(2, { after: "waiting_for_input.approval", log })]);
    const [task] = await listTasks({ dataDir: archive.dataDir });
    expect(JSON.parse(task?.ask?.text ?? "")).toEqual({
      tool: "newFileCreated",
      path: "a.ts",
      content: `${"x".repeat(299)}…`,
    });
  });

  test("finds the cost before records of any length", async () => {
    using archive = new Archive();
    const long = "x".repeat(100_000);
    const records = Array.from({ length: 30 }, (_, index) =>
      commit(index + 3, {
        before: "running.calling",
        after: "running.calling",
        log: [
          { type: "message.appended", message: { ts: 100 + index, type: "say", say: "error", text: long } },
        ],
      }),
    );
    archive.write("a", [started(`Read this: ${long}`), commit(2, costing(1.25)), ...records]);
    const [task] = await listTasks({ dataDir: archive.dataDir });
    expect(task).toMatchObject({ cost: 1.25, lastSeq: 32, state: "resumable" });
    expect(task?.title).toMatch(/^Read this: x+…$/);
    expect(task?.title).toHaveLength(100);
  });

  test("has tokens, cache counts and mode of a task without reading its whole journal", async () => {
    using archive = new Archive();
    const total = { tokensIn: 10, tokensOut: 2, cacheWrites: 3, cacheReads: 4, cost: 0.5 };
    const later = Array.from({ length: 400 }, (_, index) => commit(4 + index, { after: "resumable" }));
    archive.write("a", [
      started("go", { facts: { mode: "ask" } }),
      commit(2, { facts: { total, mode: "ask" } }),
    ]);
    archive.write("b", [
      started("go"),
      commit(2, { facts: { total } }),
      commit(3, { facts: { mode: "ask" } }),
    ]);
    archive.write("c", [
      started("go", { facts: { mode: "ask" } }),
      commit(2, { facts: { mode: "code" } }),
      commit(3, { facts: { total } }),
    ]);
    archive.write("d", [started("go", { facts: { mode: "ask" } }), commit(2), commit(3), ...later]);
    const listed = (await listTasks({ dataDir: archive.dataDir })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(listed).toMatchObject([
      { ...total, mode: "ask" },
      { ...total, mode: "ask" },
      { ...total, mode: "code" },
      { ...unused, mode: "ask" },
    ]);
  });

  test.each(["v1/waiting", "v1/cancelled", "v2/approving"])(
    "has the same usage for a journal of an earlier version, reopened, and for its fork: %s",
    async (name) => {
      using archive = new Archive();
      const old = readFileSync(new URL(`../../fixtures/journals/${name}.jsonl`, import.meta.url));
      archive.put("old", old);
      archive.put("reopened", old);
      const seq = old.toString().split("\n").length - 1;
      const more = [
        { seq, kind: "version", at: 1, version: JOURNAL_VERSION },
        commit(seq + 1, { after: "resumable" }),
      ] as const;
      for (const record of more) appendFileSync(archive.journal("reopened"), `${encodeLine(record)}\n`);
      await forkTask(fileHistory(archive.dataDir), "reopened", { newId: "fork" });
      const listed = await listTasks({ dataDir: archive.dataDir });
      const usages = listed.map(({ tokensIn, tokensOut, cost }) => ({ tokensIn, tokensOut, cost }));
      expect(usages[0]?.cost).toBeGreaterThan(0);
      expect(usages).toEqual([usages[0], usages[0], usages[0]]);
      expect(listed.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
      expect(listed.find(({ id }) => id === "fork")).toMatchObject({ state: "resumable", lastSeq: seq + 1 });
    },
  );

  test("reports records of a later version as a problem, and shows the task as before them", async () => {
    using archive = new Archive();
    archive.write("a", [
      started("go"),
      commit(2, { ...costing(1), after: "resumable" }),
      { seq: 3, kind: "version", at: 30, version: JOURNAL_VERSION + 1 },
      commit(4, { after: "idle.completing" }),
    ]);
    const [task] = await listTasks({ dataDir: archive.dataDir });
    expect(task).toMatchObject({
      cost: 1,
      state: "resumable",
      lastSeq: 2,
      problem: {
        kind: "damaged",
        reason: `expected format version ${JOURNAL_VERSION} or earlier, found ${JOURNAL_VERSION + 1}`,
      },
    });
  });

  test("ignores records after an invalid line, and reports a damaged task", async () => {
    using archive = new Archive();
    archive.write("a", [
      started("go"),
      commit(2, { ...costing(1), after: "resumable" }),
      commit(3, costing(2)),
      commit(4, { after: "idle.completing" }),
    ]);
    const lines = archive.bytes("a").toString().split("\n");
    archive.put("a", [...lines.slice(0, 3), lines[3]?.replace("cost", "lost"), ...lines.slice(4)].join("\n"));
    const [task] = await listTasks({ dataDir: archive.dataDir });
    expect(task).toMatchObject({ cost: 1, state: "resumable", lastSeq: 2, problem: { kind: "damaged" } });
    expect(await readTask(fileHistory(archive.dataDir), "a")).toMatchObject({
      cost: 1,
      state: "resumable",
      lastSeq: 2,
      tail: { kind: "damaged", line: 4 },
    });
  });

  /** A journal that is longer than what a list reads of its ends. */
  const long = [
    started("go"),
    ...Array.from({ length: 400 }, (_, number) => commit(number + 2, costing(number))),
  ];

  test.each([
    [
      "has another byte",
      (lines: readonly string[]) => lines.with(200, (lines[200] ?? "").replace("cost", "lost")),
    ],
    ["is missing", (lines: readonly string[]) => lines.toSpliced(200, 1)],
  ])("reports a long journal as damaged where a line in its middle %s", async (_name, damage) => {
    using archive = new Archive();
    archive.write("a", long);
    const { dataDir } = archive;
    expect((await listTasks({ dataDir }))[0]?.problem).toBeUndefined();
    const lines = archive.bytes("a").toString().split("\n");
    rmSync(archive.index);
    archive.put("a", damage(lines).join("\n"));
    const [task] = await listTasks({ dataDir });
    expect(task).toMatchObject({
      lastSeq: 199,
      problem: { kind: "damaged", reason: expect.stringMatching(/^line 201: /) },
    });
    expect((await readTask(fileHistory(dataDir), "a")).tail).toMatchObject({ kind: "damaged", line: 201 });
  });

  test("checks all of a journal that was written without growing: a line that was checked before may be damaged", async () => {
    using archive = new Archive();
    archive.write("a", long);
    const { dataDir } = archive;
    expect((await listTasks({ dataDir }))[0]?.problem).toBeUndefined();
    archive.put("a", archive.bytes("a").toString().replace("cost", "lost"));
    expect((await listTasks({ dataDir }))[0]?.problem).toMatchObject({ kind: "damaged" });
  });

  test("checks only what was appended since the last list, and all of a journal that was replaced by a shorter one", async () => {
    using archive = new Archive();
    const { dataDir } = archive;
    archive.write("a", long.slice(0, 300));
    await listTasks({ dataDir });
    archive.write("a", long);
    const lines = archive.bytes("a").toString().split("\n");
    const broken = (at: number) => lines.with(at, (lines[at] ?? "").replace("cost", "lost")).join("\n");
    archive.put("a", broken(350));
    expect((await listTasks({ dataDir }))[0]?.problem?.reason).toMatch(/^line 351: /);
    archive.put("a", broken(100).slice(0, broken(100).length / 2));
    expect((await listTasks({ dataDir }))[0]?.problem?.reason).toMatch(/^line 101: /);
  });

  test("shows the messages of a killed task as opening it closes them, and an open task's messages as they are", async () => {
    using archive = new Archive();
    const partial = { ts: 20, type: "say" as const, say: "text" as const, text: "half", partial: true };
    archive.write("a", [
      started("go"),
      commit(2, { after: "streaming.receiving", log: [{ type: "message.appended", message: partial }] }),
    ]);
    const rows = async () => (await readTask(fileHistory(archive.dataDir), "a")).rows;
    expect((await rows()).at(-2)).toEqual({ seq: 2, row: { ...partial, partial: false } });
    expect((await rows()).at(-1)).toMatchObject({ seq: 2, row: { ask: "resume_task" } });
    const owner = fileJournal({ dir: archive.folder("a") });
    await owner.own();
    expect((await rows()).at(-1)).toEqual({ seq: 2, row: partial });
    await owner.close();
  });

  test("shows the name of a task, or the name from its header", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")], { title: "from before" });
    const title = async () => (await listTasks({ dataDir: archive.dataDir }))[0]?.title;
    expect(await title()).toBe("from before");
    await renameTask(fileHistory(archive.dataDir), "a", " mine ");
    expect(await title()).toBe("mine");
    await renameTask(fileHistory(archive.dataDir), "a", "");
    expect(await title()).toBe("from before");
  });

  test("agrees with the replay of any journal, truncated at any byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(choice, { minLength: 5, maxLength: 60 }),
        fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        async (choices, cuts) => {
          using archive = new Archive();
          await writeRandom(archive, "whole", choices);
          const bytes = archive.bytes("whole");
          const head = bytes.indexOf("\n") + 1;
          for (const [index, cut] of cuts.entries())
            archive.put(`cut-${index}`, bytes.subarray(0, head + (cut % (bytes.length - head + 1))));
          for (const listed of await listTasks({ dataDir: archive.dataDir })) {
            const { rows, conversation, queue, total, tail, problem, settlement, ...read } = await readTask(
              fileHistory(archive.dataDir),
              listed.id,
            );
            const { problem: seen, ...summary } = listed;
            expect(summary).toEqual(read);
            expect(seen?.kind).toBe(problem?.kind);
            expect(rows.map(({ row }) => row.ts)).toEqual(
              rows.map(({ row }) => row.ts).toSorted((a, b) => a - b),
            );
          }
        },
      ),
      { numRuns: 25, seed: 7, endOnFailure: true },
    );
  });
});
