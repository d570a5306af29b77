import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { InboxCommandInput } from "../../wire/inbox.ts";
import { type WorkerProcess, WorkerRig } from "./worker-rig.ts";

const FIRST = "- { tool: attempt_completion, input: { result: Ready. } }";
const DONE = "- { tool: attempt_completion, input: { result: Done. } }";
/** Calls a tool, streams for some time, calls it again, and completes. */
const STREAMED = `
- { tool: effect, input: { line: one } }
- blocks: [{ text: { repeat: "word ", times: 200 }, chunk: 5, delayMs: 20 }, { tool: effect, input: { line: two } }]
${DONE}
`;
const START: InboxCommandInput = { kind: "start", prompt: "Go", images: [] };

let rig: WorkerRig;
beforeAll(async () => {
  rig = await WorkerRig.start();
});
afterAll(() => rig.remove());

/** Start a task in a pool. */
async function start(pool: string, command: InboxCommandInput = START): Promise<string> {
  const task = rig.postgres.newTask();
  await rig.command(task, command, pool);
  await rig.wakes.wake(task);
  return task;
}

/** Resolves once a worker has taken a task that was woken after all others: it would have taken theirs before. */
async function hasLooked({ opened }: WorkerProcess, pool: string): Promise<void> {
  const task = await start(pool);
  await expect.poll(() => opened).toContain(task);
}

async function kill({ child }: WorkerProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

test("a task is run by a worker of its pool, and its messages and due times too", async () => {
  const mock = await rig.mock(`${FIRST}\n${DONE}\n${DONE}`);
  const [gpu, standard] = [await rig.worker("run", mock, { pools: ["gpu"] }), await rig.worker("run", mock)];
  const task = await start("gpu");
  await rig.completed(task, "Ready.");
  await rig.command(task, { kind: "message", text: "Go on" });
  await rig.wakes.wake(task);
  await rig.completed(task, "Done.");
  const opened = gpu.opened.length;
  await rig.wakes.wake(task, Date.now() + 1_000);
  await expect.poll(() => gpu.opened.length).toBeGreaterThan(opened);
  await hasLooked(standard, "default");
  expect(standard.opened).not.toContain(task);
  await Promise.all([kill(gpu), kill(standard)]);
});

test("a task of a killed worker waits for another worker of its pool, and no effect runs twice", async () => {
  const mock = await rig.mock(STREAMED);
  const first = await rig.worker("killed", mock, { pools: ["gpu"] });
  const task = await start("gpu");
  await expect.poll(() => mock.requests.length).toBe(2);
  await kill(first);
  const others = await rig.mock(`${DONE}\n${DONE}`);
  const standard = await rig.worker("killed", others);
  await rig.command(task, { kind: "message", text: "Go on" });
  await rig.wakes.wake(task);
  // The lease and the sign of life of the killed worker end.
  await expect
    .poll(async () => {
      const { rows } = await rig.postgres.admin.query(
        "SELECT FROM signalbox_wakes.job WHERE name = 'wake/gpu' AND state < 'active' AND start_after < now()",
      );
      return rows.length;
    })
    .toBeGreaterThan(0);
  await rig.postgres.expire(task);
  await hasLooked(standard, "default");
  expect(standard.opened).not.toContain(task);
  const second = await rig.worker("killed", mock, { pools: ["other", "gpu"] });
  await rig.completed(task, "Done.");
  expect(second.opened).toContain(task);
  expect(rig.effects("killed")).toEqual(["one", "two"]);
  await Promise.all([kill(standard), kill(second)]);
});

test("a wake that is in the queue of another pool is passed on to the workers of the task's pool", async () => {
  const mock = await rig.mock(`${DONE}\n${DONE}`);
  const task = rig.postgres.newTask();
  // It has no pool yet.
  await rig.wakes.wake(task);
  await rig.command(task, START, "gpu");
  const gpu = await rig.worker("passed", mock, { pools: ["gpu"] });
  const standard = await rig.worker("passed", mock);
  await rig.completed(task, "Done.");
  expect(gpu.opened).toContain(task);
  expect(standard.opened).not.toContain(task);
  await Promise.all([kill(standard), kill(gpu)]);
});
