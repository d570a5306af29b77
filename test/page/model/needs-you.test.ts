import { expect, it } from "vitest";
import { subtasksNeedingYou, tasksNeedingYou } from "../../../visualize/page/model/needs-you.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";

const task = (id: string, more: Partial<TaskInfo> = {}): TaskInfo => ({
  ...{ id, title: id, state: "running", path: "running.delegated", cost: 0, createdAt: 1, updatedAt: 1 },
  ...{ isOpen: true, asks: [], ...more },
});
const root = task("a");
const child = task("a.1", { parentId: "a" });
const failed = task("a.1.1", {
  ...{ parentId: "a.1", state: "idle", path: "idle.failed", rest: "failed" },
  asks: [{ askId: 1, kind: "api_req_failed", text: "401", accepts: ["yes", "no"] }],
});

it("finds the subtask of a subtask that failed and waits for an answer, from each task above it", () => {
  const tasks = [failed, task("b"), child, root];
  expect(tasksNeedingYou(tasks)).toEqual([failed]);
  for (const one of [root, child]) expect(subtasksNeedingYou(one, tasks)).toEqual([failed]);
  for (const one of [failed, task("b"), undefined]) expect(subtasksNeedingYou(one, tasks)).toEqual([]);
});

it("finds all subtasks that need a person, in the order of their numbers", () => {
  const asking = ["a.10", "a.9", "a.2.1"].map((id) => ({ ...failed, id, parentId: "a" }));
  expect(subtasksNeedingYou(root, [...asking, root]).map(({ id }) => id)).toEqual(["a.2.1", "a.9", "a.10"]);
});
