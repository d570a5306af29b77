import type { TaskStatus } from "../../../present/task-status.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { statusOf } from "./status.ts";

/** A task in the list, with its status. */
export interface ListedTask {
  readonly id: string;
  readonly parentId?: string;
  readonly group: TaskStatus["group"];
  readonly status: TaskStatus;
  readonly info: TaskInfo;
}

const known = new WeakMap<TaskInfo, ListedTask>();

/** The task of an info. An info never changes: its status is computed once. */
export function listedTask(info: TaskInfo): ListedTask {
  const found = known.get(info);
  if (found !== undefined) return found;
  const status = statusOf(info);
  const { id, parentId } = info;
  const task = { id, ...(parentId !== undefined && { parentId }), group: status.group, status, info };
  known.set(info, task);
  return task;
}

/** The time since when a task waits, or of its last event, in ms since 1970. The `ts` of an ask is the time when it asked. */
export function sinceOf({ group, info }: ListedTask): number {
  const { askId } = info.asks[0] ?? info.lastAsk ?? {};
  const isTime = askId !== undefined && askId >= info.createdAt && askId <= info.updatedAt;
  return group === "needs_you" && isTime ? askId : info.updatedAt;
}

/** The time from the start of a task to its last event, or while it works to now, in ms. */
export const durationOf = ({ group, info }: ListedTask, now: number): number =>
  Math.max(0, (group === "running" ? now : info.updatedAt) - info.createdAt);
