import { subtaskStep } from "../machines/task/subtask-outcome.ts";
import type { ReopenedTask } from "../machines/task/task.context.ts";
import type { SubtaskOutcome } from "../machines/tool-call/call.ts";
import type { Clock } from "../ports/clock.ts";
import type { JournalDriver } from "../ports/journal.ts";
import { JournalError } from "../store/journal/error.ts";
import type { JournalTail } from "../store/journal/reader.ts";
import { type ReplayedTask, replayJournal } from "../store/recovery/replay.ts";
import { findSubtask } from "../store/recovery/subtask-outcome.ts";
import { HostError } from "./task/errors.ts";

/** The torn tail of a journal, which was cut off and saved. */
export type DroppedTail = JournalTail & {
  /** Path of the file that contains it. */
  readonly savedAs: string;
};

/** The state that a task is reopened with. */
export interface RecoveredTask {
  readonly past: ReopenedTask;
  readonly replayed: ReplayedTask;
  readonly dropped?: DroppedTail;
}

/**
 * Acquire a task's journal for this process and replay it (L11). Its torn tail, which was never acknowledged, is cut off
 * and saved.
 *
 * @throws HostError `TASK_UNKNOWN`, `TASK_DAMAGED`
 * @throws JournalError `JOURNAL_LOCKED` and the codes of reading
 */
export async function recoverTask(
  taskId: string,
  driver: JournalDriver,
  journal: (taskId: string) => JournalDriver,
  clock: Clock,
  reported: ReportedOutcome = async (_, outcome) => outcome,
): Promise<RecoveredTask> {
  if ((await replayJournal(driver, { until: 0 })) === undefined) throw unknownTask(taskId, driver.path);
  await driver.own();
  const replayed = await replayJournal(driver);
  if (replayed === undefined) throw unknownTask(taskId, driver.path);
  const { tail, recorded } = replayed;
  if (tail?.kind === "damaged") throw damagedTask(taskId, replayed, tail);
  const savedAs = tail === undefined ? undefined : await driver.truncate(tail.at);
  const childEnds = await subtaskOutcomes(taskId, replayed, journal, reported);
  return {
    past: { ...recorded, openedAt: clock.now(), childEnds },
    replayed,
    ...(tail !== undefined && savedAs !== undefined && { dropped: { ...tail, savedAs } }),
  };
}

/** The outcome of a subtask with what it changed in files of its own. */
type ReportedOutcome = (childId: string, outcome: SubtaskOutcome) => Promise<SubtaskOutcome>;

async function subtaskOutcomes(
  parentId: string,
  { recorded }: ReplayedTask,
  journal: (taskId: string) => JournalDriver,
  reported: ReportedOutcome,
): Promise<ReadonlyMap<string, SubtaskOutcome>> {
  const outcomes = new Map<string, SubtaskOutcome>();
  const { calls, facts } = recorded;
  const delegated = calls.filter((call) => call.phase === "delegated");
  const unended = (facts.backgroundSubtasks ?? []).filter(({ end }) => end === undefined);
  for (const { callId, childId } of [...delegated, ...unended]) {
    const outcome = await knownOutcome(childId, { parentId, callId }, journal);
    if (outcome !== undefined) outcomes.set(callId, await reported(childId, outcome));
  }
  return outcomes;
}

/** The outcome of a subtask. Undefined also where its journal can't be read: resuming its parent tries again (L16). */
async function knownOutcome(
  childId: string,
  owner: { readonly parentId: string; readonly callId: string },
  journal: (taskId: string) => JournalDriver,
): Promise<SubtaskOutcome | undefined> {
  try {
    const step = subtaskStep(await findSubtask(childId, owner, journal));
    return typeof step === "object" ? step : undefined;
  } catch (error) {
    if (error instanceof JournalError) return undefined;
    throw error;
  }
}

const unknownTask = (taskId: string, path: string): HostError =>
  new HostError(
    "TASK_UNKNOWN",
    `There is no task ${taskId}: expected its journal at ${path}. Check the id and the data directory.`,
  );

const damagedTask = (taskId: string, { lastSeq }: ReplayedTask, { line, reason }: JournalTail): HostError =>
  new HostError(
    "TASK_DAMAGED",
    `The journal of task ${taskId} is damaged in line ${line}: ${reason}. Fork the task at record ${lastSeq}, the last ` +
      "readable one, or restore the file from a copy.",
  );
