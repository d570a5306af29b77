import { expect, test } from "vitest";
import { allowEverything, allowSubtasks } from "../../tools/index.ts";
import { type TaskInfo, taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import { asking, inBackground } from "../support/background-script.ts";
import { writingSubtasks } from "../support/parallel-script.ts";
import { askOf, completes, MODES, NESTED_SCRIPT, scriptByMode } from "../support/subtasks.ts";
import { Served, type Sse, SseReader } from "./support.ts";

/** The tasks as a client of `GET /api/events` knows them: the list, then each that changes. */
class WatchedTasks {
  readonly #tasks = new Map<string, TaskInfo>();
  readonly #events: SseReader;

  constructor(events: SseReader) {
    this.#events = events;
  }

  /** The tasks that ask, once there are some. */
  async asking(): Promise<readonly TaskInfo[]> {
    return this.#until(() => [...this.#tasks.values()].filter(({ asks }) => asks.length > 0));
  }

  /** The ids of a task and its ancestors, as far as each names another one. */
  ancestry({ id, parentId }: TaskInfo): readonly string[] {
    const ids = new Set([id]);
    for (let next = parentId; next !== undefined && !ids.has(next); next = this.#tasks.get(next)?.parentId)
      ids.add(next);
    return [...ids];
  }

  async #until(read: () => readonly TaskInfo[]): Promise<readonly TaskInfo[]> {
    for (;;) {
      const tasks = read();
      if (tasks.length > 0) return tasks;
      const event = await this.#events.next();
      if (event === undefined) throw new Error("The stream has ended.");
      this.#take(event);
    }
  }

  #take({ event, data }: Sse): void {
    const tasks =
      event === "tasks"
        ? taskListSchema.parse(JSON.parse(data)).tasks
        : [taskInfoSchema.parse(JSON.parse(data))];
    for (const task of tasks) this.#tasks.set(task.id, task);
  }
}

test("a client of the server sees the ask of a subtask's subtask below the root, and answers it (L16, field failure 5)", async () => {
  await using served = await Served.open({
    script: NESTED_SCRIPT,
    task: { permissions: { judge: allowEverything() }, modes: MODES },
  });
  const events = await SseReader.open(served, "/api/events");
  const { id } = await served.create("Do it");
  const tasks = new WatchedTasks(events);
  const [asking, ...others] = await tasks.asking();
  expect(others).toEqual([]);
  expect(asking).toMatchObject({ id: `${id}.1.1`, parentId: `${id}.1`, asks: [{ kind: "followup" }] });
  expect(asking && tasks.ancestry(asking)).toEqual([`${id}.1.1`, `${id}.1`, id]);
  const root = served.host.tasks.get(id);
  const end = root?.settled();
  const where = `/api/tasks/${asking?.id}/asks/${asking?.asks[0]?.askId}/answer`;
  expect((await served.post(where, { kind: "text", text: "left" })).status).toBe(204);
  expect(await (await served.post(where, { kind: "text", text: "right" })).json()).toMatchObject({
    status: 409,
  });
  expect((await end)?.result).toBe("All done.");
  events.close();
});

test("GET /api/tasks has the asks of subtasks that work at once, each below its parent, and each is answered by its task", async () => {
  await using served = await Served.open({
    script: writingSubtasks("one", "two"),
    task: { permissions: { judge: allowSubtasks() }, modes: MODES },
  });
  const { id } = await served.create("Do it");
  const ids = [`${id}.1`, `${id}.2`];
  await Promise.all(ids.map((child) => askOf(served.host, child, "tool")));
  const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  const asking = tasks.filter(({ asks }) => asks.length > 0);
  expect(asking.map((task) => [task.id, task.parentId]).toSorted()).toEqual(ids.map((child) => [child, id]));
  const end = served.host.tasks.get(id)?.settled();
  for (const { id: child, asks } of asking)
    expect(
      (await served.post(`/api/tasks/${child}/asks/${asks[0]?.askId}/answer`, { kind: "yes" })).status,
    ).toBe(204);
  expect((await end)?.result).toBe("All done.");
});

test("GET /api/tasks marks a subtask in the background while it is open, and no other task", async () => {
  const script = scriptByMode(
    { mode: "code", after: "attempt_completion", turn: completes("All done.") },
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: `[${inBackground("one")}]` },
    ...asking("one"),
  );
  await using served = await Served.open({
    script,
    task: { permissions: { judge: allowEverything() }, modes: MODES, backgroundSubtasks: "wait" },
  });
  const { id } = await served.create("Do it");
  const end = served.host.tasks.get(id)?.settled();
  const ask = await askOf(served.host, `${id}.1`, "question");
  const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  expect(tasks.map((task) => [task.id, task.isBeside]).toSorted()).toEqual([
    [id, undefined],
    [`${id}.1`, true],
  ]);
  await served.post(`/api/tasks/${id}.1/asks/${ask.id}/answer`, { kind: "text", text: "left" });
  await end;
  expect((await served.info(`${id}.1`)).isBeside).toBeUndefined();
});
