import type { UserBlock } from "../../machines/conversation/entry.ts";
import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { SubtaskOrder } from "../../machines/tool-call/subtask-order.ts";
import { appendedMessages, startedIds } from "./changes.ts";
import { inBackground, SUBTASK } from "./delegated-calls.ts";
import { expectedResult } from "./expected-result.ts";
import { isSame, type Step } from "./law.ts";

const isUnended = ({ end }: BackgroundSubtask): boolean => end === undefined;

/** The end that the macrostep has of a subtask in the background, from the subtask itself. */
function givenEnd(
  { before, event, reopened }: Step,
  { callId }: BackgroundSubtask,
): SubtaskOutcome | undefined {
  if (event.type === "subtask.ended" && event.callId === callId && before.activeActors.has(SUBTASK + callId))
    return event.end;
  return reopened?.childEnds?.get(callId);
}

/** The ends that subtasks in the background have given to the task in the macrostep. */
export const backgroundEnds = (step: Step): readonly SubtaskOutcome[] =>
  step.before.context.backgroundSubtasks
    .filter(isUnended)
    .flatMap((subtask) => givenEnd(step, subtask) ?? []);

/** The orders of calls that were not executed before the macrostep, by their calls. */
function ordersIn({ before, event }: Step): readonly (readonly [callId: string, SubtaskOrder])[] {
  const calls = before.context.turn.calls.flatMap((call) =>
    "review" in call ? [{ callId: call.callId, review: call.review }] : [],
  );
  if (event.type === "call.reviewed" && event.review.valid)
    calls.push({ callId: event.callId, review: event.review });
  return calls.flatMap(({ callId, review: { ordersSubtasks: order } }) =>
    order === undefined ? [] : [[callId, order] as const],
  );
}

/** Whether the macrostep cancels the subtask: with the task, by a call, or because the task completes. */
function isCancelled(step: Step, { childId }: BackgroundSubtask): boolean {
  const { event, after } = step;
  if (event.type === "task.cancel" || event.type === "journal.failed") return true;
  if (after.state.startsWith("idle.")) return after.context.subtasksAtCompletion === "cancel";
  return ordersIn(step).some(([, order]) => order.kind === "cancel" && order.id === childId);
}

const CANCELLED: SubtaskOutcome = { kind: "cancelled" };

/** The end of a subtask after the macrostep; undefined: it has none. */
function endAfter(step: Step, was: BackgroundSubtask): SubtaskOutcome | undefined {
  const end = was.end ?? givenEnd(step, was);
  if (end !== undefined) return withoutRest(end);
  const is = inBackground(step.after, was.callId);
  return is !== undefined && isUnended(is) ? undefined : CANCELLED;
}

function withoutRest(end: SubtaskOutcome): SubtaskOutcome {
  if (!("rest" in end)) return end;
  const { rest: _, ...known } = end;
  return known;
}

/** A subtask in the background has the end that it gave, or is cancelled with its task, and the end stays. */
export function endsAreKept(step: Step): string | undefined {
  for (const was of step.before.context.backgroundSubtasks) {
    const is = inBackground(step.after, was.callId);
    const end = endAfter(step, was);
    if (end === undefined) {
      if (step.event.type === "task.cancel") return `${was.childId} has not ended after a cancel`;
      continue;
    }
    const isGiven = was.end !== undefined || givenEnd(step, was) !== undefined;
    if (!isGiven && !isCancelled(step, was)) return `${was.childId} ended by ${step.event.type}`;
    if (is !== undefined && !isSame(is.end, end))
      return `${was.childId} ended as ${end.kind}, and the task has ${is.end?.kind ?? "no end"}`;
  }
  return undefined;
}

const isBlock = (text: string) => (block: UserBlock) => block.type === "text" && block.text.includes(text);

/** A request that opens tells the model each end, once, and one message has it; nothing else does. */
export function endsAreTold(step: Step): string | undefined {
  const { before, after } = step;
  const messages = appendedMessages(step);
  const opens = messages.some(({ say }) => say === "api_req_started");
  const late = after.context.backgroundSubtasks.find((subtask) => !isUnended(subtask));
  if (opens && late !== undefined) return `a request opened without the end of ${late.childId}`;
  for (const was of before.context.backgroundSubtasks) {
    if (inBackground(after, was.callId) !== undefined) continue;
    if (!opens) return `${was.childId} was dropped by ${step.event.type}`;
    const end = endAfter(step, was);
    const { result, text } = expectedResult(was, end ?? CANCELLED);
    const told = after.context.pending.filter(isBlock(result)).length;
    if (told !== 1) return `the next request tells the end of ${was.childId} ${told} times`;
    const reports = messages.filter(({ say, callId }) => say === "subtask_result" && callId === was.callId);
    if (reports.length !== 1 || reports[0]?.text !== text)
      return `${reports.length} messages report the end of ${was.childId}, expected one with ${text}`;
  }
  return undefined;
}

/** A subtask in the background starts with its call, which has its id as its result at once (L6). */
export function startsSettle(step: Step): string | undefined {
  const { before, after } = step;
  for (const { callId, childId } of after.context.backgroundSubtasks) {
    if (inBackground(before, callId) !== undefined) continue;
    if (!startedIds(step, "subtask").includes(SUBTASK + callId)) return `${childId} was not started`;
    const call = after.context.turn.calls.find((one) => one.callId === callId);
    const isSettled =
      call?.phase === "settled" &&
      call.outcome.kind === "done" &&
      call.outcome.content.some((block) => block.type === "text" && block.text.includes(childId));
    if (!isSettled) return `the call of ${childId} is ${call?.phase ?? "gone"} after its start`;
  }
  return undefined;
}

/** A task completes with no subtask that works: it has waited for all, and told their ends, or has cancelled them. */
export function completesWithoutWork({ before, after }: Step): string | undefined {
  const offers = after.state === "idle.completing" || after.state === "idle.delivering";
  if (!offers || before.state.startsWith("idle.")) return undefined;
  const { backgroundSubtasks, subtasksAtCompletion } = after.context;
  const left = backgroundSubtasks.find((one) => subtasksAtCompletion === "wait" || isUnended(one));
  return left && `the task completes, and ${left.childId} ${isUnended(left) ? "works" : "is not told"}`;
}

/** A call that waits for subtasks in the background ends once one of them has ended, or all, or the user has sent a message. */
export function waitsAreOver(step: Step): string | undefined {
  const { before, event, after } = step;
  if (event.type === "task.cancel" || event.type === "journal.failed" || event.type === "queue.added")
    return undefined;
  if (before.context.queue.length > 0) return undefined;
  for (const [callId, order] of ordersIn(step)) {
    const call = after.context.turn.calls.find((one) => one.callId === callId);
    if (order.kind !== "wait" || call?.phase !== "settled" || call.outcome.kind !== "done") continue;
    const named = before.context.backgroundSubtasks.filter(
      ({ childId }) => order.ids === undefined || order.ids.includes(childId),
    );
    const left = named.filter((subtask) => endAfter(step, subtask) === undefined);
    const isEarly = order.until === "any" ? left.length > 0 && left.length === named.length : left.length > 0;
    if (isEarly) return `${callId} waits for ${left.map(({ childId }) => childId).join()}, and is over`;
  }
  return undefined;
}
