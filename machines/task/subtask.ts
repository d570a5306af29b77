import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import {
  subtaskCancelled,
  subtaskDeleted,
  subtaskFailed,
  subtaskFinished,
  subtaskUnavailable,
  toolError,
} from "../conversation/notices.ts";
import { SUBTASK_UNAVAILABLE } from "../message/asks.ts";
import type { CallIn, Outcome, SubtaskOutcome } from "../tool-call/call.ts";
import { postAsk } from "./asks.ts";
import { deductGrant, putBackRest } from "./budget.ts";
import { subtaskActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { countMistake, resetMistakes } from "./counters.ts";
import { actorIntent } from "./intent.ts";
import { assertJudged } from "./judged.ts";
import { pause } from "./pause.ts";
import { callIn, callsIn, moveCall } from "./turn.ts";

/** Starts a subtask that executes the call. */
export function delegate(change: Change, call: CallIn<"approved">): void {
  assertJudged(change.context, call);
  const { taskId, children } = change.context;
  const ordinal = children + 1;
  const childId = `${taskId}.${ordinal}`;
  const grant = deductGrant(change, call.review.requestsBudget);
  change.set({ children: ordinal });
  startSubtask(change, moveCall(change, call, { type: "delegated", childId, grant }));
}

/** Continues the subtasks of a task that was at rest. */
export function resumeSubtasks(change: Change): void {
  for (const call of callsIn(change.context, "delegated")) {
    if (call.end !== undefined) continue;
    change.append({ type: "say", say: "tool", callId: call.callId });
    startSubtask(change, call.rests === undefined ? call : moveCall(change, call, { type: "continued" }));
  }
}

function startSubtask(change: Change, { callId, childId, name, input, grant }: CallIn<"delegated">): void {
  const given = grant !== undefined && { grant };
  const { permissions, profile } = change.context;
  const chosen = profile !== null && profile.chosen !== null && { chosenProfile: profile.chosen };
  const inherited = { permissions, ...given, ...chosen, ...actorIntent(change.context) };
  change.start("subtask", subtaskActorId(callId), { callId, childId, name, input, ...inherited });
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
  if (callsIn(change.context, "delegated").every(({ rests }) => rests === "paused")) pause(change);
  else postAsk(change, "resume_task", "", { reason: SUBTASK_UNAVAILABLE });
}

/** Settles subtasks whose own journal held their result when the task was opened. */
export function settleEndedSubtasks(change: Change): void {
  for (const call of callsIn(change.context, "delegated"))
    if (call.end !== undefined) applySubtaskOutcome(change, call, call.end);
}

function applySubtaskOutcome(change: Change, call: CallIn<"delegated">, outcome: SubtaskOutcome): void {
  const { kind, content, message } = formatOutcome(call.childId, outcome);
  moveCall(change, call, { type: "settled", outcome: { kind, content: [textBlock(content)] } });
  if ("rest" in outcome) putBackRest(change, outcome.rest);
  if (kind === "failed") countMistake(change);
  else resetMistakes(change);
  change.append({ type: "say", say: "subtask_result", text: message, callId: call.callId });
}

/** `content` is for the model, `message` for the user. */
function formatOutcome(
  childId: string,
  outcome: SubtaskOutcome,
): { readonly kind: Outcome["kind"]; readonly content: string; readonly message: string } {
  switch (outcome.kind) {
    case "finished":
      return { kind: "done", content: subtaskFinished(childId, outcome.result), message: outcome.result };
    case "cancelled":
    case "deleted": {
      const message = outcome.kind === "deleted" ? subtaskDeleted(childId) : subtaskCancelled(childId);
      return { kind: "interrupted", content: message, message };
    }
    case "failed": {
      const message = subtaskFailed(childId, outcome.message);
      return { kind: "failed", content: toolError(message), message };
    }
  }
}
