import { expect, test } from "vitest";
import { DONE, openRig } from "../../support/host.ts";

const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: x } }";

test("without a prompt, an interrupted task continues", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Done. }]` });
  const first = rig.task.run("Write it");
  await rig.ask("tool");
  rig.task.cancel();
  expect(await first).toMatchObject({ state: "resumable" });
  expect(await rig.task.run()).toMatchObject({ result: "Done." });
  expect(rig.task.log.toArray().filter(({ say }) => say === "user_feedback")).toEqual([]);
});

test("without a prompt, a task with too many mistakes continues", async () => {
  await using rig = await openRig({
    script: `[{ text: one }, { text: two }, ${DONE}]`,
    completion: "tool",
    limits: { mistakes: 1 },
  });
  expect(await rig.task.run("Do it")).toMatchObject({ ask: "mistakes" });
  expect(await rig.task.run()).toMatchObject({ result: "Done." });
});

test("a new task and a completed one need a prompt", async () => {
  await using rig = await openRig({ script: "[{ text: Done. }]" });
  await expect(rig.task.run()).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await rig.task.run("Do it");
  await expect(rig.task.run()).rejects.toMatchObject({
    code: "TASK_BUSY",
    message: expect.stringContaining("which needs a prompt"),
  });
});

test("an abort of the signal cancels the task, and `run` resolves with where it settles", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Done. }]` });
  const abort = new AbortController();
  const end = rig.task.run("Write it", { signal: abort.signal });
  await rig.ask("tool");
  abort.abort();
  expect(await end).toMatchObject({ state: "resumable", ask: "resume" });
});

test("a signal that aborted before starts nothing", async () => {
  await using rig = await openRig({ script: "[{ text: Done. }]" });
  const reason = new Error("The window was closed.");
  await expect(rig.task.run("Do it", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(rig.task.log).toHaveLength(0);
});

test("a signal that aborts after the task has settled cancels nothing", async () => {
  await using rig = await openRig({ script: `[{ text: One. }, ${WRITE}, { text: Two. }]` });
  const abort = new AbortController();
  await rig.task.run("Count", { signal: abort.signal });
  const next = rig.task.run("Write it");
  const ask = await rig.ask("tool");
  abort.abort();
  ask.approve();
  expect(await next).toMatchObject({ result: "Two." });
});
