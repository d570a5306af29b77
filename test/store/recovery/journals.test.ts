import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createHost } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { fileJournal } from "../../../store/index.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { allowEverything } from "../../../tools/index.ts";
import { LawMonitor } from "../../support/laws.ts";
import { complete } from "../../support/model.ts";
import { Archive } from "../task-history/data-folder.ts";

const folder = new URL("../../fixtures/journals/2026-11/", import.meta.url);
const linesOf = (id: string): readonly string[] =>
  readFileSync(new URL(`${id}.jsonl`, folder), "utf8").split(/(?<=\n)/);
const journals = { task: linesOf("task"), "task.1": linesOf("task.1") };

/** Write the journals of a task and its subtask, the given one up to its last record with this state. */
function truncateAfter(archive: Archive, id: keyof typeof journals, state: string): void {
  const last = journals[id].findLastIndex((line) => JSON.parse(line).after === state);
  expect(last).toBeGreaterThan(0);
  for (const [each, lines] of Object.entries(journals))
    archive.put(each, (each === id ? lines.slice(0, last + 1) : lines).join(""));
}

/** Open a task, expect it at rest with the messages of its journal, and resume it to completion. */
async function resume(archive: Archive, id: string): Promise<void> {
  const driver = fileJournal({ dir: archive.folder(id) });
  const before = await replayJournal(driver);
  const monitor = new LawMonitor({ pauses: true });
  const host = createHost({ dataDir: archive.dataDir });
  const task: Task = await host.open(id, {
    model: {
      id: "scripted",
      stream({ messages }) {
        monitor.request(messages);
        return complete();
      },
    },
    workspace: archive.dataDir,
    permissions: { judge: allowEverything() },
  });
  monitor.follow(task);
  expect(["idle", "resumable"]).toContain(task.state.state);
  const texts = task.log.toArray().map(({ ts }) => ts);
  expect(texts).toEqual(expect.arrayContaining(before?.recorded.log.toArray().map(({ ts }) => ts) ?? []));
  expect(task.snapshot.context).toMatchObject({ mode: before?.recorded.facts.mode ?? "code" });
  expect((await task.run("Go on.")).result).toBe("Done.");
  await host.closeAll();
  monitor.assertHeld(task);
  await monitor.journal(task, driver);
}

describe("a journal of an earlier release (L1-L6, L11, L12)", () => {
  test.each([
    ["asks for an approval, with a queued message", "task", "waiting_for_input.approval"],
    ["saves a checkpoint", "task", "running.checkpointing"],
    ["calls a tool", "task", "running.calling"],
    ["runs a command", "task", "running.commanding"],
    ["waits for its subtask", "task", "running.delegated"],
    ["was cancelled", "task", "resumable"],
    ["was completed", "task", "idle.completed"],
    ["was killed during a request", "task", "streaming.receiving"],
    ["is a subtask", "task.1", "streaming.receiving"],
    ["is a completed subtask", "task.1", "idle.completed"],
  ] as const)("is forked, opened and resumed when its task %s", async (_what, id, state) => {
    using archive = new Archive();
    truncateAfter(archive, id, state);
    const before = archive.bytes(id);
    await forkTask(fileHistory(archive.dataDir), id, { newId: "fork" });
    expect(archive.bytes(id)).toEqual(before);
    await resume(archive, "fork");
    expect(archive.bytes(id)).toEqual(before);
    await resume(archive, id);
    expect(archive.bytes(id).subarray(0, before.length)).toEqual(before);
  });

  test("restores messages, queue, conversation, tool calls and facts", async () => {
    using archive = new Archive();
    truncateAfter(archive, "task", "waiting_for_input.approval");
    const asking = await replayJournal(fileJournal({ dir: archive.folder("task") }));
    expect(asking?.recorded.calls).toMatchObject([{ name: "write_to_file", phase: "asking" }]);
    archive.put("task", journals.task.slice(0, 19).join(""));
    const queued = await replayJournal(fileJournal({ dir: archive.folder("task") }));
    expect(queued?.recorded.queue).toMatchObject([{ text: "Also mention the date." }]);
    archive.put("task", journals.task.join(""));
    const whole = await replayJournal(fileJournal({ dir: archive.folder("task") }));
    expect(whole).toMatchObject({
      header: { version: 2, taskId: "task" },
      lastSeq: 59,
      state: "streaming.receiving",
      recorded: { calls: [], queue: [], facts: { result: "The task is done.", children: 1 } },
    });
    expect(whole?.recorded.facts.total?.cost).toBeCloseTo(0.05);
    expect(whole?.recorded.log.toArray().some(({ say }) => say === "checkpoint_saved")).toBe(true);
    expect(whole?.recorded.conversation.length).toBe(13);
  });
});
