import { describe, expect, test } from "vitest";
import { connectTask, ExtensionClient } from "../../../client/index.ts";
import { clientSource, localSource, type TaskSource, type TaskView } from "../../../client/react/index.ts";
import { DONE, openRig, type Rig } from "../../support/host.ts";

const WRITE = '{ tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }';

/** Resolves with the first view, from now on, that matches. */
function until(source: TaskSource, fits: (view: TaskView) => boolean): Promise<TaskView> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!fits(source.read())) return;
      stop();
      resolve(source.read());
    };
    const stop = source.subscribe(check);
    check();
  });
}

const isIn = (state: string) => (view: TaskView) => view.state.state === state;

const SOURCES: readonly (readonly [string, (rig: Rig) => TaskSource])[] = [
  ["a task of this process", ({ task }) => localSource(task)],
  ["the task of a client", ({ task, host }) => clientSource(connectTask(task, { host }).client)],
];

describe.each(SOURCES)("%s", (_title, open) => {
  test("is the same view until it changes, and then has the task's messages and state (L1)", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    const source = open(rig);
    const before = source.read();
    expect(before.messages).toEqual([]);
    expect(source.read()).toBe(before);
    const sent = source.send("Do it");
    const waiting = await until(source, isIn("waiting_for_input"));
    expect(source.read()).toBe(waiting);
    expect(waiting.messages).toEqual(rig.task.log.toArray());
    expect(waiting.state).toEqual(rig.task.state);
    const [message] = waiting.messages.slice(-1);
    expect(await source.answer(message?.ts ?? 0, { kind: "yes" })).toEqual({ ok: true });
    const idle = await until(source, isIn("idle"));
    expect(idle.messages).toEqual(rig.task.log.toArray());
    expect(await sent).toEqual({ ok: true });
  });

  test("queues a message while the task waits, which answers nothing (L7), and continues a task at rest", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}, ${DONE}]` });
    const source = open(rig);
    source.send("Do it");
    await until(source, isIn("waiting_for_input"));
    expect(await source.send("Also this")).toEqual({ ok: true });
    const queued = await until(source, ({ queue }) => queue.length > 0);
    expect(queued.queue.map(({ text }) => text)).toEqual(["Also this"]);
    expect(queued.state.state).toBe("waiting_for_input");
    await source.cancel();
    await until(source, isIn("resumable"));
    source.send("Go on");
    const idle = await until(source, isIn("idle"));
    expect(idle.messages.map(({ text }) => text)).toContain("Go on");
  });

  test("stops calling a listener that unsubscribed", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const source = open(rig);
    let calls = 0;
    const stop = source.subscribe(() => {
      calls += 1;
    });
    source.send("Do it");
    await until(source, isIn("streaming"));
    stop();
    const before = calls;
    await until(source, isIn("idle"));
    expect(before).toBeGreaterThan(0);
    expect(calls).toBe(before);
  });
});

test("a client that has read no message has one view, so a component renders once", () => {
  const source = clientSource(new ExtensionClient({ sendMessage: () => {} }));
  expect(source.read()).toBe(source.read());
  expect(source.read().queue).toEqual([]);
});

test("an answer to an ask that is not open, and a message that is too long, are results with a code (L8)", async () => {
  await using rig = await openRig({ script: `[${DONE}]`, inputLimits: { textChars: 10 } });
  const source = localSource(rig.task);
  expect(await source.answer(1, { kind: "yes" })).toMatchObject({ ok: false, code: "ASK_UNKNOWN" });
  const long = await source.send("x".repeat(11));
  expect(long).toMatchObject({ ok: false, code: "OPTION_INVALID" });
});
