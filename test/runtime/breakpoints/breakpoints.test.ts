import { filter, firstValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { Breakpoints } from "../../../runtime/breakpoints/breakpoints.ts";
import type { HeldEvents } from "../../../runtime/breakpoints/held-events.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { allowEverything } from "../../../tools/index.ts";
import { DONE, openRig } from "../../support/host.ts";

const READS = "{ tool: list_files, input: { path: ., recursive: false } }";
const opened = () => openRig({ script: `[${READS}, ${DONE}]`, policy: allowEverything() });

/** The held events once the first one has this type and the records before it are durable: a task shows those only. */
async function heldFirst(task: Task, type: string): Promise<HeldEvents> {
  const held = await firstValueFrom(task.breakpoints.held$.pipe(filter((each) => each.at(0)?.type === type)));
  await task.flushed();
  return held;
}

test("an event of a listed type is held before the machine processes it, and later events wait", async () => {
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
  expect(causes()).toContain("tool.finished");
  expect(causes().filter((type) => type === "context.ready")).toHaveLength(1);
  task.breakpoints.set({});
  await firstValueFrom(task.asks$.pipe(filter(({ kind }) => kind === "completion")));
  expect(task.breakpoints.held).toHaveLength(0);
  expect((await end).ask).toBe("completion");
});

test("when a task enters a listed state all events are held, and resuming in that state does not hold again", async () => {
  await using rig = await opened();
  const { task } = rig;
  task.breakpoints.set({ states: ["running.calling"] });
  const end = task.run("Look");
  await heldFirst(task, "tool.finished");
  expect(task.snapshot.value).toEqual({ running: "calling" });
  task.breakpoints.resume();
  expect((await end).result).toBe("Done.");
});

test("an event with a state as its condition is held in this state or below it, and passes elsewhere", async () => {
  await using rig = await opened();
  const { task } = rig;
  task.breakpoints.set({
    events: [
      { type: "context.ready", state: "running.calling" },
      { type: "tool.finished", state: "running" },
    ],
  });
  const end = task.run("Look");
  const held = await heldFirst(task, "tool.finished");
  expect(held.map(({ type }) => type)).toEqual(["tool.finished"]);
  expect(task.snapshot.value).toEqual({ running: "calling" });
  expect(rig.shown.map(({ commit }) => commit.cause?.type)).toContain("context.ready");
  task.breakpoints.set({});
  expect((await end).result).toBe("Done.");
});

test("an event with a tool as its condition is held before a call of this tool starts, and not before another call", async () => {
  const read = "{ tool: read_file, input: { path: a.txt } }";
  await using rig = await openRig({
    script: `[${READS}, ${read}, ${DONE}]`,
    policy: allowEverything(),
    files: { "a.txt": "one" },
  });
  const { task } = rig;
  task.breakpoints.set({ events: [{ type: "call.reviewed", tool: "read_file" }] });
  const end = task.run("Look");
  await heldFirst(task, "call.reviewed");
  const names = task.snapshot.context.turn.calls.map(({ name, phase }) => [name, phase]);
  expect(names).toEqual([["read_file", "deciding"]]);
  task.breakpoints.resume();
  expect((await end).result).toBe("Done.");
});

test("a pause holds the next event, and each step lets one pass", async () => {
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

test("resuming ends a pause, and the other breakpoints stay", () => {
  const breakpoints = new Breakpoints(() => () => {});
  breakpoints.set({ events: ["b"], pause: true });
  breakpoints.resume();
  expect(breakpoints.settings).toEqual({ events: ["b"], pause: false });
  breakpoints.set({ ...breakpoints.settings, events: ["a"] });
  expect(breakpoints.isHolding).toBe(false);
});

test("a cancel passes, and held events of a stopped actor are dropped (L10)", async () => {
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
  expect(task.breakpoints.held).toHaveLength(0);
});

test("without breakpoints nothing is held, and macrosteps are not observed", async () => {
  await using rig = await opened();
  const { task } = rig;
  expect(task.breakpoints.step()).toBe(false);
  task.breakpoints.resume();
  expect((await task.run("Look")).result).toBe("Done.");
  expect(task.breakpoints.isHolding).toBe(false);
});

test("a list of held events does not change when events pass or arrive later", () => {
  const breakpoints = new Breakpoints(() => () => {});
  breakpoints.set({ pause: true });
  const seen: string[] = [];
  breakpoints.held$.subscribe((held) => seen.push(held.map(({ type }) => type).join("")));
  const pass = (type: string): void => breakpoints.pass({ type }, () => {});
  for (const type of ["a", "b", "c"]) pass(type);
  const then = breakpoints.held;
  breakpoints.step();
  breakpoints.step();
  pass("d");
  expect([...then]).toEqual([{ type: "a" }, { type: "b" }, { type: "c" }]);
  expect([then.length, then.at(3), then.at(-1)]).toEqual([3, undefined, undefined]);
  expect(breakpoints.held.map(({ type }) => type)).toEqual(["c", "d"]);
  expect(seen).toEqual(["", "a", "ab", "abc", "bc", "c", "cd"]);
});

test("with one event more than `heldEvents` all pass in order, and the task names the limit (L14)", async () => {
  await using rig = await openRig({
    script: `[${READS}, ${DONE}]`,
    policy: allowEverything(),
    debugging: { breakpoints: { heldEvents: 1 } },
    llm: { frameMs: 0 },
  });
  const { task } = rig;
  const { breakpoints } = task;
  const set = { states: ["streaming.receiving"] };
  breakpoints.set(set);
  expect(breakpoints.lifted).toBeUndefined();
  // The response consists of several events: none of them is released.
  expect((await task.run("Look")).result).toBe("Done.");
  expect(breakpoints.lifted).toMatchObject({ code: "HELD_LIMIT", settings: set });
  expect(breakpoints.lifted?.message).toContain("1 events were held, the limit `heldEvents`");
  expect([breakpoints.held.length, breakpoints.isHolding, breakpoints.settings]).toEqual([0, false, {}]);
  breakpoints.set({ pause: true });
  expect(breakpoints.lifted).toBeUndefined();
});

test("100,000 events can be held, each with a notification, and pass in order (L17)", () => {
  const breakpoints = new Breakpoints(() => () => {}, { heldEvents: 100_000 });
  let longest = 0;
  breakpoints.held$.subscribe(({ length }) => {
    longest = Math.max(longest, length);
  });
  breakpoints.set({ pause: true });
  const passed: number[] = [];
  for (let event = 0; event < 100_000; event++) breakpoints.pass({ type: "x" }, () => passed.push(event));
  expect([longest, passed.length]).toEqual([100_000, 0]);
  for (let step = 0; step < 40_000; step++) breakpoints.step();
  breakpoints.set({});
  expect(breakpoints.lifted).toBeUndefined();
  expect(passed).toEqual(Array.from({ length: 100_000 }, (_, event) => event));
});
