import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { uncertain } from "../../../machines/conversation/notices.ts";
import { createHost } from "../../../runtime/host.ts";
import { fileJournal } from "../../../store/index.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { readTask } from "../../../store/task-history/recorded-task.ts";
import { allowEverything } from "../../../tools/index.ts";
import { JOURNAL_VERSION } from "../../../wire/journal/record.ts";
import { LawMonitor } from "../../support/laws.ts";
import { complete } from "../../support/model.ts";
import { choice } from "../../support/random-events.ts";
import { Archive, commit, costing, started, writeRandom } from "./data-folder.ts";

const CALL = { callId: "10/t1", toolUseId: "t1", name: "new_task", ask: "tool" } as const;

/** Write a task that waits for its subtask. */
function writeDelegated(archive: Archive): void {
  archive.write("a", [
    started("go"),
    commit(2, {
      after: "streaming.receiving",
      conversation: [
        { type: "entry.appended", entry: { role: "user", content: [{ type: "text", text: "go" }] } },
      ],
    }),
    commit(3, {
      before: "streaming.receiving",
      after: "running.delegated",
      conversation: [
        {
          type: "entry.appended",
          entry: {
            role: "assistant",
            content: [{ type: "tool_use", id: "t1", name: "new_task", input: { mode: "code" } }],
          },
        },
      ],
      log: [{ type: "message.appended", message: { ts: 30, type: "say", say: "tool", callId: CALL.callId } }],
      calls: [{ ...CALL, phase: "delegated", input: { mode: "code" }, childId: "a.1" }],
      facts: { children: 1 },
    }),
  ]);
  archive.write("a.1", [started("help")], { parent: { taskId: "a", rootId: "a", callId: CALL.callId } });
}

describe("a fork", () => {
  test("has the records up to the given one and a new header; the original stays unchanged", async () => {
    using archive = new Archive();
    archive.write("a", [started("go"), commit(2, costing(1)), commit(3, costing(2))], {
      workspace: "/src",
      title: "Mine",
    });
    const before = archive.bytes("a");
    const forkedFrom = { taskId: "a", seq: 2 };
    expect(await forkTask(fileHistory(archive.dataDir), "a", { at: 2, newId: "b", createdAt: 77 })).toEqual({
      id: "b",
      forkedFrom,
    });
    expect(archive.bytes("a")).toEqual(before);
    expect(await replayJournal(fileJournal({ dir: archive.folder("b") }))).toMatchObject({
      header: {
        taskId: "b",
        createdAt: 77,
        workspace: "/src",
        title: "Mine",
        forkedFrom,
        version: JOURNAL_VERSION,
      },
      lastSeq: 2,
      lastAt: 20,
      recorded: { facts: costing(1).facts },
    });
    const lines = (id: string): readonly string[] => archive.bytes(id).toString().split("\n");
    expect(lines("b").slice(1)).toHaveLength(3);
    expect((await readTask(fileHistory(archive.dataDir), "b")).rows).toEqual([
      { seq: 1, row: { ts: 10, type: "say", say: "text", text: "go" } },
      { seq: 2, row: { ts: 20, type: "ask", ask: "resume_task", text: "" } },
    ]);
    expect(readdirSync(path.join(archive.dataDir, "tasks")).toSorted()).toEqual(["a", "b"]);
    expect(readdirSync(archive.folder("b"))).toEqual(["journal.jsonl"]);
  });

  test("has the version records of the original, of the version of its header", async () => {
    using archive = new Archive();
    archive.write("a", [started("go"), { seq: 2, kind: "version", at: 20, version: 2 }, commit(3)]);
    await forkTask(fileHistory(archive.dataDir), "a", { newId: "b" });
    const lines = archive.bytes("b").toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { seq: 0, version: JOURNAL_VERSION },
      { seq: 1 },
      { seq: 2, kind: "version", at: 20, version: JOURNAL_VERSION },
      { seq: 3 },
    ]);
  });

  test("defaults to the last valid record, also of a damaged or open task", async () => {
    using archive = new Archive();
    archive.write("a", [started("go"), commit(2), commit(3)]);
    const lines = archive.bytes("a").toString().split("\n");
    archive.put("a", [...lines.slice(0, 3), "no record", ...lines.slice(3)].join("\n"));
    const driver = fileJournal({ dir: archive.folder("a") });
    await driver.own();
    expect((await forkTask(fileHistory(archive.dataDir), "a", { newId: "b" })).forkedFrom.seq).toBe(2);
    await driver.close();
    expect(await readTask(fileHistory(archive.dataDir), "b")).not.toHaveProperty("problem");
  });

  test.each([
    [0, "the number of a record, from 1."],
    [-1, "the number of a record, from 1."],
    [1.5, "the number of a record, from 1."],
    [Number.NaN, "the number of a record, from 1."],
    [3, "from 1 to 2."],
  ])("rejects %s, which is not a record of the task", async (at, text) => {
    using archive = new Archive();
    archive.write("a", [started("go"), commit(2)]);
    const before = archive.hash;
    await expect(forkTask(fileHistory(archive.dataDir), "a", { at })).rejects.toMatchObject({
      code: "FORK_INVALID",
      message: expect.stringContaining(text),
    });
    expect(archive.hash).toBe(before);
  });

  test("rejects an unknown task, a task without records, and the id of an existing task", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("empty", []);
    const { dataDir } = archive;
    await expect(forkTask(fileHistory(dataDir), "none")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await expect(forkTask(fileHistory(dataDir), "empty")).rejects.toMatchObject({ code: "FORK_INVALID" });
    await expect(forkTask(fileHistory(dataDir), "a", { newId: "a" })).rejects.toMatchObject({
      code: "TASK_EXISTS",
    });
    await expect(forkTask(fileHistory(dataDir), "a", { newId: "../a" })).rejects.toMatchObject({
      code: "ID_INVALID",
    });
    const both = await Promise.allSettled(
      ["b", "b"].map((newId) => forkTask(fileHistory(dataDir), "a", { newId })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(readdirSync(path.join(dataDir, "tasks")).toSorted()).toEqual(["a", "b", "empty"]);
  });

  test("makes a delegated tool call uncertain; its subtask stays with the original (L12, L16)", async () => {
    using archive = new Archive();
    writeDelegated(archive);
    const child = archive.bytes("a.1");
    await forkTask(fileHistory(archive.dataDir), "a", { newId: "b" });
    const { rows, state, lastSeq } = await readTask(fileHistory(archive.dataDir), "b");
    expect(rows.at(-2)).toEqual({
      seq: 4,
      row: { ts: 31, type: "say", say: "error", text: uncertain("new_task"), callId: CALL.callId },
    });
    expect([state, lastSeq]).toEqual(["resumable", 4]);
    const requests: string[] = [];
    const host = createHost({ dataDir: archive.dataDir });
    const task = await host.open("b", {
      model: {
        id: "m",
        stream({ messages }) {
          requests.push(JSON.stringify(messages));
          return complete();
        },
      },
      workspace: archive.dataDir,
    });
    expect(task.parent).toBeUndefined();
    await task.run("go on");
    await host.closeAll();
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain(uncertain("new_task"));
    expect(existsSync(archive.folder("b.1"))).toBe(false);
    expect(archive.bytes("a.1")).toEqual(child);
  });

  test("of a subtask has no parent", async () => {
    using archive = new Archive();
    writeDelegated(archive);
    await forkTask(fileHistory(archive.dataDir), "a.1", { newId: "b" });
    expect(await readTask(fileHistory(archive.dataDir), "b")).not.toHaveProperty("parentId");
  });

  test("of any task at any record opens and resumes without violations, and leaves the original unchanged (L1-L6, L11)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(choice, { minLength: 5, maxLength: 60 }),
        fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
        async (choices, places) => {
          using archive = new Archive();
          const { dataDir } = archive;
          await writeRandom(archive, "a", choices);
          const before = archive.bytes("a");
          const { lastSeq } = await readTask(fileHistory(dataDir), "a");
          const monitor = new LawMonitor({ pauses: true });
          const host = createHost({ dataDir });
          for (const [index, place] of places.entries()) {
            const at = 1 + (place % lastSeq);
            const newId = `fork-${index}`;
            await forkTask(fileHistory(dataDir), "a", { at, newId });
            const task = await host.open(newId, {
              model: {
                id: "m",
                stream({ messages }) {
                  monitor.request(messages);
                  return complete();
                },
              },
              workspace: dataDir,
              permissions: { judge: allowEverything() },
              limits: { requests: 10_000, cost: 10_000 },
            });
            monitor.follow(task);
            expect(["idle", "resumable"]).toContain(task.state.state);
            await task.run("go on");
            await host.close(newId);
            monitor.assertHeld(task);
            await monitor.journal(task, fileJournal({ dir: archive.folder(newId) }));
          }
          await host.closeAll();
          expect(archive.bytes("a")).toEqual(before);
        },
      ),
      { numRuns: 15, seed: 11, endOnFailure: true },
    );
  });
});
