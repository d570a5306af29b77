import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import type { TextBlock } from "../conversation/entry.ts";
import { toolError, wakeUpNotice, wakeUpScheduled, wakeUpsCancelled } from "../conversation/notices.ts";
import type { AskType } from "../message/asks.ts";
import type { CallIn } from "../tool-call/call.ts";
import type { WakeUpChange } from "../tool-call/wake-up.ts";
import { closeAsk } from "./asks.ts";
import { continueBackgroundSubtasks } from "./background-subtasks.ts";
import { settleAsMistake, settleWithText } from "./calls.ts";
import type { Change } from "./change.ts";
import { allowCompaction } from "./compaction.ts";
import { resetMistakes } from "./counters.ts";
import { forgetRepetition } from "./repetition.ts";
import { settleEndedSubtasks } from "./subtask.ts";
import type { TaskContext } from "./task.context.ts";
import type { TaskEvent, WakeUp } from "./task.events.ts";
import { callsIn, moveCall } from "./turn.ts";

/** The asks at rest in whose place a wake-up continues the task. Mistakes and limits wait for a person. */
const REPLACED: ReadonlySet<AskType> = new Set([
  "completion_result",
  "resume_completed_task",
  "resume_task",
  "api_req_failed",
]);

/** Whether a due wake-up continues the task as it is: at rest, neither paused nor ended by a protocol. */
const mayWake = ({ ask, pause, control }: TaskContext): boolean =>
  ask !== undefined && REPLACED.has(ask.ask) && pause === null && control?.shutDown === undefined;

/** The time at which the task, as it is, continues without a person; undefined without one. */
export function wakeTime(context: TaskContext): number | undefined {
  const { wakeUps } = context;
  return wakeUps.length === 0 || !mayWake(context) ? undefined : Math.min(...wakeUps.map(({ at }) => at));
}

/** Whether the event comes at a due time of a task that a wake-up may continue. */
export function isDue(context: TaskContext, event: TaskEvent): boolean {
  assertEvent(event, "wake.due");
  const at = wakeTime(context);
  return at !== undefined && at <= event.at;
}

/** Whether the wake-up that a person schedules is within the limits. */
export function mayBeScheduled(context: TaskContext, event: TaskEvent): boolean {
  assertEvent(event, "wake.scheduled");
  const { wakeUp } = event;
  return wakeUpFault(context, wakeUp) === undefined && !context.wakeUps.some(({ id }) => id === wakeUp.id);
}

/** The limit that keeps a wake-up from being scheduled, and what to do. */
export function wakeUpFault(
  { wakeUps, limits }: Pick<TaskContext, "wakeUps" | "limits">,
  { everyMs, message }: Pick<WakeUp, "everyMs" | "message">,
): string | undefined {
  if (wakeUps.length >= limits.wakeUps)
    return `The task has ${wakeUps.length} wake-ups, its limit \`wakeUps\`: cancel one, or wait until one is over.`;
  if (message.length > limits.wakeUpChars)
    return `Expected a message of at most ${limits.wakeUpChars} characters (the limit \`wakeUpChars\`).`;
  return everyMs === undefined ? undefined : shortTime("an interval", everyMs, limits.wakeUpMinMs);
}

const shortTime = (what: string, ms: number, minMs: number): string | undefined =>
  ms >= minMs
    ? undefined
    : `Expected ${what} of at least ${minMs} ms (the limit \`wakeUpMinMs\`), got ${ms} ms.`;

export function scheduleWakeUp(change: Change): void {
  const { event } = change;
  assertEvent(event, "wake.scheduled");
  addWakeUp(change, event.wakeUp);
}

const addWakeUp = (change: Change, wakeUp: WakeUp): void =>
  change.set({ wakeUps: [...change.context.wakeUps, wakeUp] });

export function clearWakeUps(change: Change): void {
  const { event } = change;
  assertEvent(event, "wake.cleared");
  removeWakeUps(change, event.id);
}

/** Removes the wake-up with this id, or all. Returns the ids of the removed ones. */
function removeWakeUps(change: Change, id: string | undefined): readonly string[] {
  const { wakeUps } = change.context;
  const removed = wakeUps.filter((wakeUp) => id === undefined || wakeUp.id === id);
  if (removed.length > 0) change.set({ wakeUps: wakeUps.filter((wakeUp) => !removed.includes(wakeUp)) });
  return removed.map((wakeUp) => wakeUp.id);
}

/** The wake-up of a new task beside those that were scheduled before, as a fact of its first commit. */
export function standingWakeUp({ event: { at }, context }: Change): Pick<Partial<TaskContext>, "wakeUps"> {
  const { standing } = context;
  if (standing === undefined) return {};
  return { wakeUps: [...context.wakeUps, { id: "standing", at: at + standing.everyMs, ...standing }] };
}

/**
 * Continues a task at rest with each due wake-up, in place of an answer (law WAKE): the commit that appends its message ends
 * it, or sets its next due time. Times that have passed since are skipped.
 */
export function wake(change: Change): void {
  closeAsk(change, "withdrawn");
  settleEndedSubtasks(change);
  continueBackgroundSubtasks(change);
  allowCompaction(change);
  forgetRepetition(change);
  const content = postDue(change);
  const completion = callsIn(change.context, "asking", "stopped").find(
    ({ ask }) => ask === "completion_result",
  );
  if (completion !== undefined)
    moveCall(change, completion, { type: "settled", outcome: { kind: "done", content } });
  else change.set({ pending: [...change.context.pending, ...content] });
}

function postDue(change: Change): readonly TextBlock[] {
  const { at: now } = change.event;
  const { wakeUps } = change.context;
  const due = wakeUps.filter(({ at }) => at <= now);
  for (const { message } of due) change.append({ type: "say", say: "wake_up", text: message });
  change.set({ wakeUps: wakeUps.flatMap((wakeUp) => (wakeUp.at <= now ? nextOf(wakeUp, now) : [wakeUp])) });
  return due.map(({ id, at, message }) => textBlock(wakeUpNotice(id, now - at, message)));
}

/** The wake-up at its first due time after `now`; none if it is due once. */
function nextOf(wakeUp: WakeUp, now: number): readonly WakeUp[] {
  const { at, everyMs } = wakeUp;
  if (everyMs === undefined) return [];
  const intervals = Math.floor((now - at) / everyMs) + 1;
  return [{ ...wakeUp, at: at + intervals * everyMs }];
}

/** Applies a call that schedules or cancels wake-ups. */
export function changeWakeUps(change: Change, call: CallIn<"approved">, given: WakeUpChange): void {
  if (given.kind === "schedule") scheduleByCall(change, call, given);
  else cancelByCall(change, call, given.id);
}

function scheduleByCall(
  change: Change,
  call: CallIn<"approved">,
  { at, afterMs, everyMs, message }: Extract<WakeUpChange, { kind: "schedule" }>,
): void {
  const { context } = change;
  const now = change.event.at;
  const wakeUp = {
    id: newId(context.wakeUps),
    at: at ?? now + (afterMs ?? everyMs ?? 0),
    ...(everyMs !== undefined && { everyMs }),
    message,
  };
  const fault =
    wakeUpFault(context, wakeUp) ?? shortTime("a time from now", wakeUp.at - now, context.limits.wakeUpMinMs);
  if (fault !== undefined) {
    settleAsMistake(change, call, fault);
    return;
  }
  addWakeUp(change, wakeUp);
  settleAsDone(change, call, wakeUpScheduled(wakeUp.id, wakeUp.at - now, everyMs));
}

/** The smallest number that is no id yet. */
function newId(wakeUps: readonly WakeUp[]): string {
  let number = 1;
  while (wakeUps.some(({ id }) => id === `${number}`)) number += 1;
  return `${number}`;
}

function cancelByCall(change: Change, call: CallIn<"approved">, id: string | undefined): void {
  const cancelled = removeWakeUps(change, id);
  if (cancelled.length > 0 || id === undefined) settleAsDone(change, call, wakeUpsCancelled(cancelled));
  else {
    const known = change.context.wakeUps.map((wakeUp) => wakeUp.id).join(", ") || "none";
    settleWithText(change, call, "failed", toolError(`There is no wake-up ${id} (scheduled: ${known}).`));
  }
}

function settleAsDone(change: Change, call: CallIn<"approved">, text: string): void {
  settleWithText(change, call, "done", text);
  resetMistakes(change);
}
