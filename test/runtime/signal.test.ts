import { getEventListeners } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { DONE, openRig } from "../support/host.ts";
import { scripted } from "../support/model.ts";

const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: x } }";
const model = scripted([]);
const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("the signal of a new task", () => {
  test.each([
    ["before", (abort: () => void) => abort()],
    ["during", (abort: () => void) => queueMicrotask(abort)],
  ])("that aborts %s the creation rejects it with its reason, and leaves nothing", async (_, when) => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const controller = new AbortController();
    const { signal } = controller;
    const opened: string[] = [];
    rig.host.opened$.subscribe(({ id }) => opened.push(id));
    const reason = new Error("The user left.");
    when(() => controller.abort(reason));
    await expect(rig.host.create({ model, workspace: rig.dir, id: "t", signal })).rejects.toBe(reason);
    expect(opened).toEqual([]);
    expect([...rig.host.tasks.keys()]).toEqual([rig.task.id]);
    expect(await readdir(rig.dataDir).catch(() => [])).toEqual([]);
    expect(listeners(signal)).toBe(0);
    // The id and its journal are free.
    await rig.host.create({ model, workspace: rig.dir, id: "t" });
  });

  test("cancels the task, each time it works (L10)", async () => {
    const controller = new AbortController();
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]`, signal: controller.signal });
    const end = rig.task.run("Write");
    await rig.ask("tool");
    controller.abort();
    expect(await end).toMatchObject({ state: "resumable" });
  });

  test("cancels a task that is passive", async () => {
    const controller = new AbortController();
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]`, signal: controller.signal });
    const end = rig.task.run("Write");
    await rig.ask("tool");
    await rig.task.flushed();
    await rig.task.passivate();
    controller.abort();
    expect(await end).toMatchObject({ state: "resumable" });
  });

  test("closes a task that has not started", async () => {
    const controller = new AbortController();
    await using rig = await openRig({ script: `[${DONE}]`, signal: controller.signal });
    controller.abort();
    await expect(rig.task.run("Write")).rejects.toMatchObject({ code: "TASK_CLOSED" });
    await rig.task.close();
    expect(rig.host.tasks.size).toBe(0);
  });

  test("has no listener once the task is closed", async () => {
    const { signal } = new AbortController();
    await using rig = await openRig({ script: `[${DONE}]`, signal });
    expect(listeners(signal)).toBe(1);
    await rig.task.run("Write");
    await rig.task.passivate();
    expect(listeners(signal)).toBe(1);
    await rig.task.close();
    expect(listeners(signal)).toBe(0);
  });

  test("is not followed by its subtasks: they end with the task that waits for them (L16)", async () => {
    const controller = new AbortController();
    const start = "{ tool: new_task, input: { mode: code, message: Do it } }";
    await using rig = await openRig({ script: `[${start}, ${WRITE}]`, signal: controller.signal });
    const end = rig.task.run("Delegate");
    const opened = firstValueFrom(rig.host.opened$);
    (await rig.ask("tool")).approve();
    const subtask = await opened;
    await firstValueFrom(subtask.asks$);
    expect(listeners(controller.signal)).toBe(1);
    const cancelled = subtask.settled();
    controller.abort();
    expect(await end).toMatchObject({ state: "resumable" });
    expect(await cancelled).toMatchObject({ state: "resumable" });
  });

  test("must be an AbortSignal", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    // @ts-expect-error
    await expect(rig.host.create({ model, workspace: rig.dir, signal: {} })).rejects.toThrow(
      "signal.aborted",
    );
  });
});

describe("the signal of a task that is opened", () => {
  test("that has aborted rejects, and another process may open the task", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    rig.task.run("Write").catch(() => undefined);
    await rig.ask("tool");
    await rig.host.close(rig.task.id);
    const controller = new AbortController();
    const { signal } = controller;
    const opened = rig.host.open(rig.task.id, { model, signal });
    controller.abort();
    await expect(opened).rejects.toMatchObject({ name: "AbortError" });
    expect(rig.host.tasks.size).toBe(0);
    expect(await readdir(path.join(rig.dataDir, "tasks", rig.task.id))).not.toContain("lock");
    const again = await rig.host.open(rig.task.id, { model });
    expect(again.state.state).toBe("resumable");
  });
});
