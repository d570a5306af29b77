import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LONG_LEASE_MS } from "../support/postgres.ts";
import { type WorkerProcess, WorkerRig } from "./worker-rig.ts";

const FIRST = "- { tool: attempt_completion, input: { result: Ready. } }";
const DONE = "- { tool: attempt_completion, input: { result: Done. } }";
/** Calls a tool, streams for some time, calls it again, and completes. */
const STREAMED = `
${FIRST}
- { tool: effect, input: { line: one } }
- blocks: [{ text: { repeat: "word ", times: 200 }, chunk: 5, delayMs: 20 }, { tool: effect, input: { line: two } }]
${DONE}
`;
const QUESTION = `
${FIRST}
- { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: one, mode: null }] } }
${DONE}
`;

let rig: WorkerRig;
beforeAll(async () => {
  rig = await WorkerRig.start();
});
afterAll(() => rig.remove());

/** The worker that has opened the task last. */
async function ownerOf(taskId: string, workers: readonly WorkerProcess[]): Promise<WorkerProcess> {
  await expect.poll(() => workers.some(({ opened }) => opened.includes(taskId))).toBe(true);
  const owner = workers.find(({ opened }) => opened.includes(taskId));
  if (owner === undefined) throw new Error(`No worker has opened ${taskId}.`);
  return owner;
}

async function kill({ child }: WorkerProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

test("a task whose worker is killed while it streams is continued by another, and no effect runs twice", async () => {
  const mock = await rig.mock(STREAMED);
  const task = await rig.task(mock);
  const workers = [await rig.worker("streamed", mock), await rig.worker("streamed", mock)];
  await rig.prompt(task, "Go on");
  const owner = await ownerOf(task, workers);
  await expect.poll(() => mock.requests.length).toBe(3);
  await kill(owner);
  await rig.completed(task, "Done.");
  expect(rig.effects("streamed")).toEqual(["one", "two"]);
  for (const worker of workers) if (worker !== owner) await kill(worker);
});

test("a task whose worker is killed while it waits for an answer is continued by another", async () => {
  const mock = await rig.mock(QUESTION);
  const task = await rig.task(mock);
  const first = await rig.worker("waiting", mock);
  await rig.prompt(task, "Ask");
  await expect
    .poll(async () => {
      const { rows } = await rig.postgres.admin.query(
        "SELECT FROM signalbox.record WHERE task = $1 AND convert_from(content, 'UTF8') LIKE '%\"ask\":\"followup\"%'",
        [task],
      );
      return rows.length > 0;
    })
    .toBe(true);
  await kill(first);
  const second = await rig.worker("waiting", mock);
  await rig.completed(task, "Done.");
  expect(second.opened).toContain(task);
  await kill(second);
});

test("a task whose worker is killed is not continued if a cancel waits for it", async () => {
  const mock = await rig.mock(STREAMED);
  const task = await rig.task(mock);
  const first = await rig.worker("cancelled", mock);
  await rig.prompt(task, "Go on");
  await expect.poll(() => mock.requests.length).toBe(3);
  await kill(first);
  await rig.command(task, { kind: "cancel" });
  const second = await rig.worker("cancelled", mock);
  await rig.wakes.wake(task);
  await expect
    .poll(async () => {
      const { rows } = await rig.postgres.admin.query(
        `SELECT owner, (SELECT count(command)::int FROM signalbox.inbox WHERE task = id) AS waiting
          FROM signalbox.task WHERE id = $1`,
        [task],
      );
      return { opened: second.opened.includes(task), ...rows[0] };
    })
    .toEqual({ opened: true, owner: null, waiting: 0 });
  expect(mock.requests).toHaveLength(3);
  expect(rig.effects("cancelled")).toEqual(["one"]);
  await kill(second);
});

test("a wake-up of a task at rest continues it on another worker than the one that had it", async () => {
  const mock = await rig.mock(`${FIRST}\n${DONE}`);
  const task = await rig.task(mock, (opened) => {
    opened.wakeAt(Date.now() + 6_000, "Look");
  });
  const first = await rig.worker("due", mock);
  await rig.wakes.wake(task);
  await expect
    .poll(
      async () =>
        (await rig.postgres.admin.query("SELECT FROM signalbox_wakes.job WHERE name = 'due'")).rows.length,
    )
    .toBeGreaterThan(0);
  await kill(first);
  const second = await rig.worker("due", mock);
  await rig.completed(task, "Done.");
  expect(second.opened).toContain(task);
  await kill(second);
});

test("a worker that drains finishes a task that comes to rest in time, and exits", async () => {
  const mock = await rig.mock(STREAMED);
  const task = await rig.task(mock);
  const { child } = await rig.worker("drained", mock, { leaseMs: LONG_LEASE_MS });
  await rig.prompt(task, "Go on");
  await expect.poll(() => mock.requests.length).toBe(3);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  await rig.completed(task, "Done.");
  expect(rig.effects("drained")).toEqual(["one", "two"]);
});

test("a task that does not come to rest in time is continued by another worker at once", async () => {
  const mock = await rig.mock(STREAMED);
  const task = await rig.task(mock);
  const options = { leaseMs: LONG_LEASE_MS, drainMs: 0 };
  const { child } = await rig.worker("late", mock, options);
  await rig.prompt(task, "Go on");
  await expect.poll(() => mock.requests.length).toBe(3);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  const second = await rig.worker("late", mock, options);
  await rig.completed(task, "Done.");
  expect(rig.effects("late")).toEqual(["one", "two"]);
  await kill(second);
});
