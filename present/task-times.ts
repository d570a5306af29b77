import type { TaskGroup } from "./task-status.ts";

/** The times of a task in a list, in ms since 1970. */
export interface TaskTimes {
  readonly group: TaskGroup;
  readonly createdAt: number;
  /** The time of its last event. */
  readonly updatedAt: number;
  /** The `ts` of the ask that it waits for or rests on: the time when it asked. */
  readonly askedAt: number | undefined;
}

/** The time since when a task waits, or of its last event. A `ts` outside of the task's life, of an imported log, is no time. */
export function sinceOf({ group, createdAt, updatedAt, askedAt }: TaskTimes): number {
  const isTime = askedAt !== undefined && askedAt >= createdAt && askedAt <= updatedAt;
  return group === "needs_you" && isTime ? askedAt : updatedAt;
}

/** The time from the start of a task to its last event, or while it works to now, in ms. */
export const durationOf = ({ group, createdAt, updatedAt }: TaskTimes, now: number): number =>
  Math.max(0, (group === "running" ? now : updatedAt) - createdAt);
