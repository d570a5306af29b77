import { filter, firstValueFrom } from "rxjs";
import { expect, test } from "vitest";
import type { HeldEvent, Task } from "../../client/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { DONE, openRig } from "../support/host.ts";

const READS = "{ tool: list_files, input: { path: ., recursive: false } }";
const opened = () => openRig({ script: `[${READS}, ${DONE}]`, policy: allowEverything() });

const heldFirst = ({ breakpoints }: Task, type: string): Promise<readonly HeldEvent[]> =>
  firstValueFrom(breakpoints.held$.pipe(filter((held) => held[0]?.type === type)));

test("an event of a named type is held before the machine takes it, and what comes behind it waits", async () => {
  await using rig = await opened();
  const { task } = rig;
  task.breakpoints.set({ events: ["tool.finished"] });
  const end = task.run("Look");
  await heldFirst(task, "tool.finished");
  expect(task.breakpoints.isHolding).toBe(true);
  expect(task.state.state).toBe("running");
  const causes = () => rig.shown.map(({ commit }) => commit.cause?.type);
  expect(causes()).not.toContain("tool.finished");
  task.breakpoints.step();
  await heldFirst(task, "context.ready");
  await task.flushed();
  expect(causes()).toContain("tool.finished");
  expect(causes().filter((type) => type === "context.ready")).toHaveLength(1);
  task.breakpoints.set({});
  await firstValueFrom(task.asks$.pipe(filter(({ kind }) => kind === "completion_result")));
  expect(task.breakpoints.held).toEqual([]);
  expect((await end).ask).toBe("completion_result");
});

test("once a task has come to a named state everything is held, and going on from there does not hold again", async () => {
  await using rig = await opened();
  const { task } = rig;
  task.breakpoints.set({ states: ["running.calling"] });
  const end = task.run("Look");
  await heldFirst(task, "tool.finished");
  expect(task.snapshot.value).toEqual({ running: "calling" });
  task.breakpoints.resume();
  expect((await end).result).toBe("Done.");
});

test("a pause holds the very next event, and each step lets one pass", async () => {
  await using rig = await opened();
  const { task } = rig;
  task.breakpoints.set({ pause: true });
  const end = task.run("Look");
  const passed: string[] = [];
  for (const type of ["task.opened", "context.ready"]) {
    await heldFirst(task, type);
    expect(task.breakpoints.held).toHaveLength(1);
    passed.push(type);
    expect(task.breakpoints.step()).toBe(true);
  }
  task.breakpoints.set({});
  await end;
  expect(rig.shown.map(({ commit }) => commit.cause?.type).slice(1, 3)).toEqual(passed);
});

test("a cancel passes, and what a stopped actor had sent is dropped (L10)", async () => {
  await using rig = await opened();
  const { task } = rig;
  task.breakpoints.set({ events: ["tool.finished"] });
  const end = task.run("Look");
  await heldFirst(task, "tool.finished");
  task.cancel();
  expect((await end).state).toBe("resumable");
  const shown = rig.shown.length;
  task.breakpoints.set({});
  await task.flushed();
  expect(rig.shown).toHaveLength(shown);
  expect(task.breakpoints.held).toEqual([]);
});

test("where none is set nothing is held, and nobody hears of states", async () => {
  await using rig = await opened();
  const { task } = rig;
  expect(task.breakpoints.step()).toBe(false);
  task.breakpoints.resume();
  expect((await task.run("Look")).result).toBe("Done.");
  expect(task.breakpoints.isHolding).toBe(false);
});
