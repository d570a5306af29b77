import type { ClineMessage } from "../../machines/message/index.ts";

/** A log, as far as its end is looked at. */
interface Ending {
  readonly length: number;
  at(position: number): ClineMessage | undefined;
}

/**
 * Where in the log of a task that was just opened the rows begin that its opening told, before its ask to resume: what is
 * uncertain, and how a subtask ended (L12). With no such ask, behind the last row.
 */
export function openedAt(log: Ending): number {
  if (log.at(log.length - 1)?.ask !== "resume_task") return log.length;
  let first = log.length - 1;
  while (first > 0 && isTold(log.at(first - 1))) first -= 1;
  return first;
}

const isTold = (row: ClineMessage | undefined): boolean =>
  row?.say === "error" || row?.say === "subtask_result";
