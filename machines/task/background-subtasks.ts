import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import {
  subtaskInBackground,
  subtaskNotAwaited,
  subtaskOrdered,
  subtasksBeforeCompletion,
  subtasksEnded,
  subtaskUnavailable,
} from "../conversation/notices.ts";
import type { CallIn, SubtaskOutcome } from "../tool-call/call.ts";
import type { SubtaskOrder } from "../tool-call/subtask-order.ts";
import { putBackRest } from "./budget.ts";
import { settleAsMistake, settleWithText, subtaskActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { resetMistakes } from "./counters.ts";
import { formatOutcome } from "./subtask-result.ts";
import { startSubtask } from "./subtask-start.ts";
import type { ReopenedTask, TaskContext } from "./task.context.ts";
import type { BackgroundSubtask } from "./task.events.ts";
import { callsIn, moveCall } from "./turn.ts";

const CANCELLED: SubtaskOutcome = { kind: "cancelled" };

/** The subtasks in the background that have not ended. */
export const unendedSubtasks = ({ backgroundSubtasks }: TaskContext): readonly BackgroundSubtask[] =>
  backgroundSubtasks.filter(({ end }) => end === undefined);

const isWorking = ({ end, rests }: Pick<BackgroundSubtask, "end" | "rests">): boolean =>
  end === undefined && rests === undefined;

/** Whether a subtask in the background works. */
export const hasWorkingSubtask = ({ backgroundSubtasks }: TaskContext): boolean =>
  backgroundSubtasks.some(isWorking);

/** Whether fewer subtasks have not ended than may work at once. */
export const hasRoom = (context: TaskContext): boolean =>
  callsIn(context, "delegated").length + unendedSubtasks(context).length <
  Math.max(1, context.limits.parallelSubtasks);

/** Whether the subtask of a call works in the background. */
export const isInBackground = (context: TaskContext, callId: string): boolean =>
  context.backgroundSubtasks.some((subtask) => subtask.callId === callId && isWorking(subtask));

const ended = ({ rests: _, ...subtask }: BackgroundSubtask, end: SubtaskOutcome): BackgroundSubtask => ({
  ...subtask,
  end,
});

/** The subtask of a call continues in the background: its call has its result at once (L6). */
export function moveToBackground(change: Change, call: CallIn<"delegated">): void {
  const { callId, childId, name, input, grant, isolation } = call;
  const given = {
    ...(grant !== undefined && { grant }),
    ...(isolation !== undefined && { isolation }),
  };
  const subtask = { callId, childId, name, input, ...given };
  change.set({ backgroundSubtasks: [...change.context.backgroundSubtasks, subtask] });
  const content = [textBlock(subtaskInBackground(childId))];
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content } });
}

function replace(
  change: Change,
  replaced: (subtask: BackgroundSubtask) => boolean,
  next: (subtask: BackgroundSubtask) => BackgroundSubtask,
): void {
  const { backgroundSubtasks } = change.context;
  if (!backgroundSubtasks.some(replaced)) return;
  change.set({
    backgroundSubtasks: backgroundSubtasks.map((subtask) => (replaced(subtask) ? next(subtask) : subtask)),
  });
}

/** Records the end of a subtask in the background. The next request tells the model. */
export function endBackgroundSubtask(change: Change): void {
  const { event } = change;
  assertEvent(event, "subtask.ended");
  change.stop("subtask", subtaskActorId(event.callId));
  replace(
    change,
    ({ callId }) => callId === event.callId,
    (subtask) => ended(subtask, event.end),
  );
  takeRests(change);
}

/** Gives the rest of each grant back to the task, once: the end that is kept has none. */
export function takeRests(change: Change): void {
  for (const { end } of change.context.backgroundSubtasks)
    if (end !== undefined && "rest" in end) putBackRest(change, end.rest);
  replace(
    change,
    ({ end }) => end !== undefined && "rest" in end,
    (subtask) => withoutRest(subtask),
  );
}

function withoutRest({ end, ...subtask }: BackgroundSubtask): BackgroundSubtask {
  if (end === undefined || !("rest" in end)) return { ...subtask, ...(end !== undefined && { end }) };
  const { rest: _, ...known } = end;
  return { ...subtask, end: known };
}

/**
 * Stops the wait for a subtask in the background that can't be opened now, or that is paused like its parent. If the parent was
 * resumed in the meantime, the subtask continues at once.
 */
export function leaveBackgroundSubtask(change: Change): void {
  const { event } = change;
  assertEvent(event, ["subtask.unavailable", "subtask.paused"]);
  const left = change.context.backgroundSubtasks.find(({ callId }) => callId === event.callId);
  if (left === undefined) return;
  change.stop("subtask", subtaskActorId(left.callId));
  if (event.type === "subtask.unavailable") {
    const text = textBlock(subtaskUnavailable(left.childId, event.message));
    change.set({ pending: [...change.context.pending, text] });
  } else if (change.context.pause === null) {
    startSubtask(change, left);
    return;
  }
  replace(
    change,
    (subtask) => subtask === left,
    (subtask) => ({ ...subtask, rests: event.type === "subtask.paused" ? "paused" : "unavailable" }),
  );
}

/**
 * Takes over the ends that the journals of subtasks have, in a task that is opened. Its other subtasks in the background do not
 * work until it continues.
 */
export function reopenSubtasks(change: Change, childEnds: ReopenedTask["childEnds"]): void {
  replace(
    change,
    ({ end, rests }) => end === undefined && rests !== "closed",
    (subtask) => ({ ...subtask, rests: "closed" }),
  );
  replace(
    change,
    ({ callId, end }) => end === undefined && childEnds?.has(callId) === true,
    (subtask) => ended(subtask, childEnds?.get(subtask.callId) ?? CANCELLED),
  );
  takeRests(change);
}

/** Continues the subtasks in the background of a task that was at rest or closed. */
export function continueBackgroundSubtasks(change: Change): void {
  const resting = change.context.backgroundSubtasks.filter(({ rests }) => rests !== undefined);
  replace(
    change,
    ({ rests }) => rests !== undefined,
    ({ rests: _, ...subtask }) => subtask,
  );
  for (const subtask of resting) startSubtask(change, subtask);
}

/** Stops all subtasks in the background: none of them starts anything from now on (law TREE). */
export const stopBackgroundSubtasks = (change: Change): void => stop(change, () => true);

function stop(change: Change, isStopped: (subtask: BackgroundSubtask) => boolean): void {
  const stopped = unendedSubtasks(change.context).filter(isStopped);
  for (const { callId, rests } of stopped)
    if (rests === undefined) change.stop("subtask", subtaskActorId(callId));
  replace(
    change,
    (subtask) => stopped.includes(subtask),
    (subtask) => ended(subtask, CANCELLED),
  );
}

/** Cancels the subtasks in the background of a task that completes, where its option says so, and reports it. */
export function cancelAtCompletion(change: Change): void {
  for (const { callId, childId } of unendedSubtasks(change.context))
    change.append({ type: "say", say: "error", text: subtaskNotAwaited(childId), callId });
  stopBackgroundSubtasks(change);
}

/** Tells the model the ends of the subtasks in the background, once each (law JOIN). */
export function joinSubtasks(change: Change): void {
  const { backgroundSubtasks } = change.context;
  const ends = backgroundSubtasks.flatMap(({ end, ...subtask }) =>
    end === undefined ? [] : [{ ...subtask, end }],
  );
  if (ends.length === 0) return;
  const notices = ends.map(({ end, ...subtask }) => {
    const { content, message } = formatOutcome(subtask, end);
    change.append({ type: "say", say: "subtask_result", text: message, callId: subtask.callId });
    return textBlock(content);
  });
  change.set({
    backgroundSubtasks: unendedSubtasks(change.context),
    pending: [...change.context.pending, ...notices],
  });
}

type Wait = Extract<SubtaskOrder, { kind: "wait" }>;

const isNamed = ({ ids }: Wait, { childId }: BackgroundSubtask): boolean =>
  ids === undefined || ids.includes(childId);

const awaitedBy = (context: TaskContext, order: Wait): readonly BackgroundSubtask[] =>
  context.backgroundSubtasks.filter((subtask) => isNamed(order, subtask));

/** The next step of a call with an order about subtasks in the background. */
export function stepOfOrder(context: TaskContext, order: SubtaskOrder): "apply" | "wait" | "rest" {
  if (order.kind === "cancel") return "apply";
  const awaited = awaitedBy(context, order);
  const left = awaited.filter(({ end }) => end === undefined);
  const isOver = left.length === 0 || (order.until === "any" && left.length < awaited.length);
  if (isOver || unknownIn(context, order) !== undefined || context.queue.length > 0) return "apply";
  return left.some(isWorking) ? "wait" : "rest";
}

/** An id of the order that is no subtask in the background. */
function unknownIn({ backgroundSubtasks }: TaskContext, order: SubtaskOrder): string | undefined {
  const ids = order.kind === "cancel" ? [order.id] : (order.ids ?? []);
  return ids.find((id) => !backgroundSubtasks.some(({ childId }) => childId === id));
}

/** Applies a call with an order about subtasks in the background. */
export function applyOrder(change: Change, call: CallIn<"approved">, order: SubtaskOrder): void {
  const unknown = unknownIn(change.context, order);
  if (unknown !== undefined) {
    settleAsMistake(
      change,
      call,
      subtaskOrdered.unknown(
        unknown,
        change.context.backgroundSubtasks.map(({ childId }) => childId),
      ),
    );
    return;
  }
  if (order.kind === "cancel") stop(change, ({ childId }) => childId === order.id);
  settleWithText(change, call, "done", textOfOrder(change.context, order));
  resetMistakes(change);
}

function textOfOrder(context: TaskContext, order: SubtaskOrder): string {
  if (order.kind === "cancel") return subtaskOrdered.cancelled(order.id);
  const awaited = awaitedBy(context, order);
  const [over, left] = [true, false].map((isOver) =>
    awaited.flatMap(({ childId, end }) => ((end !== undefined) === isOver ? [childId] : [])),
  );
  return subtasksEnded(over ?? [], left ?? [], context.queue.length > 0);
}

/** The step before a task completes that has subtasks in the background; undefined: it completes. */
export function stepBeforeCompletion(context: TaskContext): "tell" | "wait" | "rest" | undefined {
  const { backgroundSubtasks, subtasksAtCompletion } = context;
  const left = unendedSubtasks(context);
  const hasEnded = left.length < backgroundSubtasks.length;
  if (left.length === 0 || subtasksAtCompletion === "cancel") return hasEnded ? "tell" : undefined;
  return left.some(isWorking) ? "wait" : "rest";
}

/** Answers a completion with the ends of subtasks in the background: it is not offered. */
export function answerWithEnds(change: Change, call: CallIn<"decided">): void {
  settleWithText(change, call, "done", subtasksBeforeCompletion());
}
