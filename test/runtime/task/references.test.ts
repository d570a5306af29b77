import { merge, Subject } from "rxjs";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Task } from "../../../runtime/task/task.ts";
import { DONE, openRig } from "../../support/host.ts";
import { countRenders } from "../../support/render-count.js";

const LONG = "{ text: { repeat: All work and no play. , times: 200 } }";
/** Tasks are passivated by the test only. */
const RESIDENT = { maxResident: 1000 };
const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: x } }";

/** A component that reads a task, and a function that makes it read again. */
function mount(task: Task, read: (task: Task) => unknown) {
  const readAgain = new Subject<void>();
  const subscribe = (onChange: () => void): (() => void) => {
    const changes = merge(task.events$, task.asks$, readAgain).subscribe(onChange);
    return () => changes.unsubscribe();
  };
  return { ...countRenders({ subscribe, read: () => read(task) }), readAgain: () => readAgain.next() };
}

const MEMBERS: readonly (readonly [string, (task: Task) => unknown])[] = [
  ["asks", (task) => task.asks],
  ["state", (task) => task.state],
  ["snapshot", (task) => task.snapshot],
  ["log", (task) => task.log],
];

/** A getter with the values that differ from the one before by `Object.is`, as a signal notifies of them. */
class Signal {
  readonly values: unknown[] = [];
  readonly #read: () => unknown;

  constructor(read: () => unknown) {
    this.#read = read;
    this.update();
  }

  update(): void {
    const value = this.#read();
    if (this.values.length === 0 || !Object.is(value, this.values.at(-1))) this.values.push(value);
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a React component", () => {
  test("renders once for each list of asks of a streaming run, and not for a passivation", async () => {
    await using rig = await openRig({ script: `[[${LONG}, ${WRITE}], ${DONE}]`, llm: { frameMs: 0 } });
    const { task } = rig;
    const count = mount(task, ({ asks }) => asks);
    task.run("Write").catch(() => undefined);
    const ask = await rig.ask("tool");
    await task.flushed();
    count.flush();
    expect(rig.shown.length).toBeGreaterThan(10);
    expect(count.rendered).toEqual([[], [ask]]);
    await task.passivate();
    task.queue("And this");
    await task.flushed();
    count.flush();
    expect(count.rendered).toHaveLength(2);
    task.unqueue(task.snapshot.context.queue[0]?.id ?? "");
    ask.approve();
    const done = await rig.ask("completion");
    await task.flushed();
    count.flush();
    expect(count.rendered.at(-1)).toEqual([done]);
    // The list without asks was rendered between, unless both changes were rendered at once.
    expect(count.rendered.length).toBeLessThanOrEqual(4);
    count.unmount();
  });

  test.each(MEMBERS)("that reads `%s` renders no more than the task has commits", async (_, read) => {
    await using rig = await openRig({ script: `[[${LONG}, ${WRITE}]]`, llm: { frameMs: 0 } });
    const { task } = rig;
    const count = mount(task, read);
    task.run("Write").catch(() => undefined);
    await rig.ask("tool");
    await task.flushed();
    count.flush();
    const before = count.rendered.length;
    expect(before).toBeGreaterThan(1);
    // One for the mount; the ask opens after its commit.
    expect(before).toBeLessThanOrEqual(rig.shown.length + 2);
    expect(new Set(count.rendered).size).toBe(before);
    await task.passivate();
    count.readAgain();
    count.flush();
    expect(count.rendered).toHaveLength(before);
    count.unmount();
  });
});

test.each(MEMBERS)("a signal of `%s` does not notify when a task was passive", async (name, read) => {
  await using rig = await openRig({ script: `[${WRITE}, ${DONE}]`, host: RESIDENT });
  const { task } = rig;
  task.run("Write").catch(() => undefined);
  const ask = await rig.ask("tool");
  await task.flushed();
  const signal = new Signal(() => read(task));
  for (let times = 0; times < 2; times += 1) {
    expect(await task.passivate()).toBe(true);
    signal.update();
  }
  expect(signal.values).toHaveLength(1);
  task.queue("And this");
  await task.flushed();
  signal.update();
  // A queued message is no message of the log, and closes no ask.
  expect(signal.values).toHaveLength(name === "snapshot" ? 2 : 1);
  ask.approve();
  await rig.ask("completion");
  signal.update();
  expect(signal.values.length).toBeGreaterThan(name === "snapshot" ? 2 : 1);
});

test("messages of the log are the same objects after a task was passive and has continued", async () => {
  await using rig = await openRig({ script: `[${WRITE}, ${DONE}]`, host: RESIDENT });
  const { task } = rig;
  task.run("Write").catch(() => undefined);
  const ask = await rig.ask("tool");
  await task.flushed();
  const [first] = task.log;
  const { log } = task;
  expect(await task.passivate()).toBe(true);
  ask.approve();
  await rig.ask("completion");
  expect(task.log).not.toBe(log);
  expect(task.log.at(0)).toBe(first);
});

test("an ask is the same object in `asks` and in `asks$`", async () => {
  await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
  rig.task.run("Write").catch(() => undefined);
  const ask = await rig.ask("tool");
  expect(rig.task.asks[0]).toBe(ask);
  expect(await rig.ask("tool")).toBe(ask);
  await rig.task.flushed();
  await rig.task.passivate();
  expect(await rig.ask("tool")).toBe(ask);
});
