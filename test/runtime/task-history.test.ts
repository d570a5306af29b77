import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { call, complete, deferred, scripted } from "../support/model.ts";

test("a task is listed while it runs, read when it settles, and forked; the fork continues in the same host", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "history-"));
  const host = createHost({ dataDir });
  const history = openHistory({ dataDir });
  const asked = deferred();
  const model = scripted([
    async function* () {
      asked.resolve();
      yield* call("list_files", { path: ".", recursive: false });
      yield {
        type: "finished",
        stopReason: "tool_use",
        usage: { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0.25 },
      };
    },
    () => complete("First."),
    () => complete("Second."),
  ]);
  const task = await host.create({ model, workspace: dataDir, id: "mine", mode: "ask" });
  expect(await history.list()).toEqual([]);
  const run = task.run("Look around\nand tell");
  await asked.promise;
  expect(await history.list()).toMatchObject([
    { id: "mine", title: "Look around", heldBy: { pid: process.pid }, isInterrupted: false },
  ]);
  await expect(history.delete("mine")).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
  await run;
  await host.close("mine");

  const read = await history.read(await history.find("mi"));
  expect(read).toMatchObject({ isCompleted: true, cost: 0.25, total: { cost: 0.25 } });
  expect(read.rows.map(({ row }) => row)).toEqual(task.log.toArray());
  expect((await history.list({ workspace: dataDir, limit: 1 }))[0]).toMatchObject({
    id: "mine",
    mode: "ask",
    tokensIn: 1,
    cost: 0.25,
  });

  const offered = read.rows.find(({ row }) => row.ask === "completion_result");
  const fork = await history.fork("mine", { at: offered?.seq ?? 0 });
  const again = await host.open(fork.id, { model });
  expect(again.state.state).toBe("idle");
  expect((await again.run("And now?")).result).toBe("Second.");
  await host.closeAll();
  await history.rename(fork.id, "The other");
  expect((await history.list()).map(({ title }) => title)).toEqual(["The other", "Look around"]);
  expect(await history.summary(fork.id)).toEqual((await history.list())[0]);
  await history.delete("mine");
  await expect(history.summary("mine")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
  await expect(history.summary("../mine")).rejects.toMatchObject({ code: "ID_INVALID" });
  expect(await history.ids()).toEqual([fork.id]);
  await rm(dataDir, { recursive: true });
});
