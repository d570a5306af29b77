import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { subtaskUnavailable } from "../conversation/notices.ts";
import { SUBTASK_UNAVAILABLE } from "../message/asks.ts";
import type { CallIn, SubtaskOutcome } from "../tool-call/call.ts";
import { postAsk } from "./asks.ts";
import { moveToBackground, unendedSubtasks } from "./background-subtasks.ts";
import { deductGrant, putBackRest } from "./budget.ts";
import { subtaskActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { countMistake, resetMistakes } from "./counters.ts";
import { assertJudged } from "./judged.ts";
import { pause } from "./pause.ts";
import { formatOutcome } from "./subtask-result.ts";
import { startSubtask } from "./subtask-start.ts";
import { callIn, callsIn, moveCall } from "./turn.ts";

/** Starts a subtask that executes the call. */
export function delegate(change: Change, call: CallIn<"approved">): void {
  assertJudged(change.context, call);
  const { taskId, children } = change.context;
  const ordinal = children + 1;
  const childId = `${taskId}.${ordinal}`;
  const grant = deductGrant(change, call.review.requestsBudget);
  change.set({ children: ordinal });
  const { isolates: isolation } = call.review;
  const delegated = moveCall(change, call, { type: "delegated", childId, grant, isolation });
  startSubtask(change, delegated);
  if (call.review.inBackground === true) moveToBackground(change, delegated);
}

/** Continues the subtasks that a task at rest waited for. Those in the background go on already. */
export function resumeSubtasks(change: Change): void {
  for (const { callId } of unendedSubtasks(change.context))
    change.append({ type: "say", say: "tool", callId });
  for (const call of callsIn(change.context, "delegated")) {
    if (call.end !== undefined) continue;
    change.append({ type: "say", say: "tool", callId: call.callId });
    startSubtask(change, call.rests === undefined ? call : moveCall(change, call, { type: "continued" }));
  }
}

/** Makes the subtask's result the call's result, once (L16). */
export function settleSubtask(change: Change): void {
  const { event } = change;
  assertEvent(event, "subtask.ended");
  const call = callIn(change.context, event.callId, "delegated");
  if (call === undefined) return;
  change.stop("subtask", subtaskActorId(call.callId));
  applySubtaskOutcome(change, call, event.end);
}

/**
 * Stops the wait for a subtask that can't be opened now, or that is paused like its parent. Its call stays delegated: the
 * task rests once no other subtask works, and its next resume continues the subtask (L16, PAUSE).
 */
export function leaveSubtask(change: Change): void {
  const { event } = change;
  assertEvent(event, ["subtask.unavailable", "subtask.paused"]);
  const call = callIn(change.context, event.callId, "delegated");
  if (call === undefined) return;
  change.stop("subtask", subtaskActorId(call.callId));
  moveCall(change, call, {
    type: "left",
    because: event.type === "subtask.paused" ? "paused" : "unavailable",
  });
  if (event.type === "subtask.paused") return;
  const text = subtaskUnavailable(call.childId, event.message);
  change.append({ type: "say", say: "error", text, callId: call.callId });
}

/** The task rests, since none of its subtasks works: all are paused with it, or one can't be opened now. */
export function restWithSubtasks(change: Change): void {
  const left = [...callsIn(change.context, "delegated"), ...unendedSubtasks(change.context)];
  if (left.every(({ rests }) => rests === "paused")) pause(change);
  else postAsk(change, "resume_task", "", { reason: SUBTASK_UNAVAILABLE });
}

/** Settles subtasks whose own journal held their result when the task was opened. */
export function settleEndedSubtasks(change: Change): void {
  for (const call of callsIn(change.context, "delegated"))
    if (call.end !== undefined) applySubtaskOutcome(change, call, call.end);
}

function applySubtaskOutcome(change: Change, call: CallIn<"delegated">, outcome: SubtaskOutcome): void {
  const { kind, content, message } = formatOutcome(call, outcome);
  moveCall(change, call, { type: "settled", outcome: { kind, content: [textBlock(content)] } });
  if ("rest" in outcome) putBackRest(change, outcome.rest);
  if (kind === "failed") countMistake(change);
  else resetMistakes(change);
  change.append({ type: "say", say: "subtask_result", text: message, callId: call.callId });
}
