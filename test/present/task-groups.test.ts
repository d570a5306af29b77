import { describe, expect, test } from "vitest";
import { type GroupedTask, groupTasks } from "../../present/task-groups.ts";
import type { TaskGroup } from "../../present/task-status.ts";

const task = (id: string, group: TaskGroup, parentId?: string): GroupedTask => ({
  id,
  group,
  ...(parentId !== undefined && { parentId }),
});

/** The groups in a line each: `done 1: a, -a.1`. */
const read = (tasks: readonly GroupedTask[]): readonly string[] =>
  groupTasks(tasks, (a, b) => (a.id < b.id ? -1 : 1)).map(
    ({ group, count, rows }) =>
      `${group} ${count}: ${rows.map(({ task: { id }, depth }) => "-".repeat(depth) + id).join(", ")}`,
  );

describe("a list of tasks", () => {
  test("has its groups in the order of urgency, and none that is empty", () => {
    expect(read([task("c", "done"), task("b", "needs_you"), task("a", "done")])).toEqual([
      "needs_you 1: b",
      "done 2: a, c",
    ]);
  });

  test("has each subtask below its parent, and one whose parent is absent as a root", () => {
    const tasks = [
      task("a.1.1", "done", "a.1"),
      task("a", "done"),
      task("x.1", "done", "x"),
      task("a.1", "done", "a"),
    ];
    expect(read([...tasks, task("a.2", "failed", "a")])).toEqual(["done 2: a, -a.1, --a.1.1, -a.2, x.1"]);
  });

  test("has a whole tree among those that need a person while one of its tasks does, and counts that one", () => {
    const tasks = [task("a", "running"), task("a.1", "needs_you", "a"), task("a.2", "needs_you", "a")];
    expect(read(tasks)).toEqual(["needs_you 2: a, -a.1, -a.2"]);
  });

  test("has the tasks of a cycle once each", () => {
    expect(read([task("a", "done", "b"), task("b", "done", "a"), task("c", "done", "c")])).toEqual([
      "done 3: a, b, c",
    ]);
  });
});
