import type { TaskStatus } from "../../../present/task-status.ts";
import type { TaskTimes } from "../../../present/task-times.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { SearchHit } from "../../../wire/http/search.ts";
import { statusOf } from "./status.ts";

/** A task in the list, with its status. */
export interface ListedTask {
  readonly id: string;
  readonly parentId?: string;
  readonly group: TaskStatus["group"];
  readonly status: TaskStatus;
  readonly times: TaskTimes;
  readonly info: TaskInfo;
  /** The first text of the task that a search found. */
  readonly hit?: SearchHit;
}

const known = new WeakMap<TaskInfo, ListedTask>();

/** The task of an info. An info never changes: its status is computed once. */
export function listedTask(info: TaskInfo): ListedTask {
  const found = known.get(info);
  if (found !== undefined) return found;
  const status = statusOf(info);
  const { id, parentId, createdAt, updatedAt } = info;
  const { group } = status;
  const times = { group, createdAt, updatedAt, askedAt: (info.asks[0] ?? info.lastAsk)?.askId };
  const task = { id, ...(parentId !== undefined && { parentId }), group, status, times, info };
  known.set(info, task);
  return task;
}

const byId = new WeakMap<readonly TaskInfo[], ReadonlyMap<string, TaskInfo>>();

/** The entry of a task in a list. A list never changes: it is read once. */
export function infoIn(tasks: readonly TaskInfo[], taskId: string): TaskInfo | undefined {
  const infos = byId.get(tasks) ?? new Map(tasks.map((task) => [task.id, task]));
  byId.set(tasks, infos);
  return infos.get(taskId);
}

/** The tasks that started a task as their subtask, the first one first. A journal may name a task that is not listed. */
export function parentsOf(task: TaskInfo | undefined, tasks: readonly TaskInfo[] = []): readonly TaskInfo[] {
  const parents: TaskInfo[] = [];
  let child = task;
  while (child?.parentId !== undefined) {
    const parent = infoIn(tasks, child.parentId);
    if (parent === undefined || parents.includes(parent)) break;
    parents.unshift(parent);
    child = parent;
  }
  return parents;
}
