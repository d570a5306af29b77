import { z } from "zod";
import type { WakeUp } from "../../machines/task/task.events.ts";
import { HostError } from "./errors.ts";
import { formatIssues } from "./user-input.ts";

/** The latest time of a JavaScript date. */
const LATEST = 8.64e15;

const times = z.object({
  time: z.union([z.number().min(0).max(LATEST), z.date().transform((date) => date.getTime())]),
  everyMs: z.number().positive().max(LATEST).optional(),
});

/** The times of a wake-up. @throws HostError `OPTION_INVALID` */
export function assertTimes(
  time: number | Date,
  everyMs: number | undefined,
): Pick<WakeUp, "at" | "everyMs"> {
  const parsed = times.safeParse({ time, everyMs });
  if (!parsed.success)
    throw new HostError("OPTION_INVALID", formatIssues("The wake-up is invalid", parsed.error));
  const { time: at, everyMs: interval } = parsed.data;
  return { at, ...(interval !== undefined && { everyMs: interval }) };
}

export const noWakeUps = ({ id, rootId }: { readonly id: string; readonly rootId: string }): string =>
  `Task ${id} is a subtask and has no wake-ups: schedule one of its root task ${rootId}.`;

export function noWakeUp(taskId: string, id: string, wakeUps: readonly WakeUp[]): string {
  const ids = wakeUps.map((wakeUp) => wakeUp.id).join(", ") || "none";
  return `Task ${taskId} has no wake-up ${id} (scheduled: ${ids}). It may have been due already.`;
}
