import { expect, it } from "vitest";
import { parentsOf } from "../../../visualize/page/model/listed-task.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";

const task = (id: string, parentId?: string): TaskInfo => ({
  ...{ id, title: id, state: "idle", path: "idle", cost: 0, asks: [] },
  ...{ createdAt: 0, updatedAt: 0, isOpen: false },
  ...(parentId !== undefined && { parentId }),
});

it("the parents of a subtask lead from the first task to the task that started it", () => {
  const tasks = [task("c", "b"), task("b", "a"), task("a")];
  expect(parentsOf(tasks[0], tasks).map(({ id }) => id)).toEqual(["a", "b"]);
  expect(parentsOf(tasks[2], tasks)).toEqual([]);
  expect(parentsOf(undefined, tasks)).toEqual([]);
});

it("the parents of a subtask end at a task that is not listed, and at one that names itself as an ancestor", () => {
  const tasks = [task("c", "b"), task("b", "gone"), task("x", "y"), task("y", "x")];
  expect(parentsOf(tasks[0], tasks).map(({ id }) => id)).toEqual(["b"]);
  expect(parentsOf(tasks[2], tasks).map(({ id }) => id)).toEqual(["x", "y"]);
});
