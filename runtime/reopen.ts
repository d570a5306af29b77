import type { Clock } from "../actors/index.ts";
import type { Past } from "../machines/task/index.ts";
import type { SubtaskEnd } from "../machines/tool-call/index.ts";
import {
  type JournalDriver,
  type JournalTail,
  type Recalled,
  recallTask,
  subtaskEnd,
} from "../store/index.ts";
import { HostError } from "./errors.ts";

/** The torn end of a journal, and where it is kept now. */
export type DroppedTail = JournalTail & { readonly aside: string };

/** What a task is opened with, and what was found behind the last good record. */
export interface Reopened {
  readonly past: Past;
  readonly recalled: Recalled;
  readonly dropped?: DroppedTail;
}

/**
 * Takes a task's journal for this process and reads what it is opened with (L11). Its torn end, which nobody was
 * shown, is cut off and kept aside.
 *
 * @throws HostError `TASK_UNKNOWN`, `TASK_DAMAGED`
 * @throws JournalError `JOURNAL_LOCKED` and those of reading
 */
export async function reopen(
  taskId: string,
  driver: JournalDriver,
  journal: (taskId: string) => JournalDriver,
  clock: Clock,
): Promise<Reopened> {
  if ((await recallTask(driver, { until: 0 })) === undefined) throw unknownTask(taskId, driver.path);
  await driver.own();
  const recalled = await recallTask(driver);
  if (recalled === undefined) throw unknownTask(taskId, driver.path);
  const { tail, memory } = recalled;
  if (tail?.kind === "damaged") throw damagedTask(taskId, recalled, tail);
  const aside = tail === undefined ? undefined : await driver.cut(tail.at);
  const childEnds = await endsOfSubtasks(taskId, recalled, journal);
  return {
    past: { ...memory, openedAt: clock.now(), childEnds },
    recalled,
    ...(tail !== undefined && aside !== undefined && { dropped: { ...tail, aside } }),
  };
}

async function endsOfSubtasks(
  parentId: string,
  { memory }: Recalled,
  journal: (taskId: string) => JournalDriver,
): Promise<ReadonlyMap<string, SubtaskEnd>> {
  const ends = new Map<string, SubtaskEnd>();
  for (const call of memory.calls) {
    if (call.phase !== "delegated") continue;
    const end = await subtaskEnd(journal(call.childId), { parentId, callId: call.callId });
    if (end !== undefined) ends.set(call.callId, end);
  }
  return ends;
}

const unknownTask = (taskId: string, path: string): HostError =>
  new HostError(
    "TASK_UNKNOWN",
    `There is no task ${taskId}: expected its journal at ${path}. Check the id and the data folder.`,
  );

const damagedTask = (taskId: string, { lastSeq }: Recalled, { line, reason }: JournalTail): HostError =>
  new HostError(
    "TASK_DAMAGED",
    `The journal of task ${taskId} is damaged in line ${line}: ${reason}. It can be read up to record ${lastSeq} and not ` +
      `go on. Take a fork at ${lastSeq}, or restore the file from a copy.`,
  );
