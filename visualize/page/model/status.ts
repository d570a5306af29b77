import { type TaskStatus, taskStatus } from "../../../present/task-status.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";

/** The status of a task in the list. */
export function statusOf(task: TaskInfo): TaskStatus {
  const ask = task.asks[0] ?? task.lastAsk;
  const isAwaited = task.parentId !== undefined && task.state === "idle" && task.asks.length > 0;
  return taskStatus({ ...task, isAwaited, ...(ask !== undefined && { ask }) });
}
