import { assertEvent } from "xstate";
import {
  subtaskCancelled,
  subtaskFailed,
  subtaskFinished,
  textBlock,
  toolError,
} from "../conversation/index.ts";
import type { CallIn, Outcome, SubtaskEnd } from "../tool-call/index.ts";
import { countMistake, forgetMistakes, skipBehindSubtask, subtaskActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { withFeedback } from "./results.ts";
import { callIn, callsIn, setCall, toDelegated, toSettled } from "./turn.ts";

/** A subtask does the work of the call; what the model planned behind it is skipped. */
export function delegate(change: Change, call: CallIn<"approved">): void {
  const { taskId, children } = change.context;
  const ordinal = children + 1;
  const delegated = toDelegated(call, `${taskId}.${ordinal}`);
  change.set({ children: ordinal });
  skipBehindSubtask(change);
  setCall(change, delegated);
  startSubtask(change, delegated);
}

/** The subtask of a task that is opened again goes on. */
export function goOnWithSubtask(change: Change): void {
  for (const call of callsIn(change.context, "delegated")) {
    if (call.end !== undefined) continue;
    change.append({ type: "say", say: "tool", callId: call.callId });
    startSubtask(change, call);
  }
}

function startSubtask(change: Change, { callId, childId, name, input }: CallIn<"delegated">): void {
  change.start("subtask", subtaskActorId(callId), { callId, childId, name, input });
}

/** The subtask has ended: its end is the call's result, once (L16). */
export function settleSubtask(change: Change): void {
  const { event } = change;
  assertEvent(event, "subtask.ended");
  const call = callIn(change.context, event.callId, "delegated");
  if (call === undefined) return;
  change.stop("subtask", subtaskActorId(call.callId));
  takeEnd(change, call, event.end);
}

/** Subtasks whose end their own journal told when the task was opened. */
export function settleEndedSubtasks(change: Change): void {
  for (const call of callsIn(change.context, "delegated"))
    if (call.end !== undefined) takeEnd(change, call, call.end);
}

function takeEnd(change: Change, call: CallIn<"delegated">, end: SubtaskEnd): void {
  const { kind, told, shown } = sayEnd(call.childId, end);
  const content = withFeedback(call.feedback, [textBlock(told)]);
  setCall(change, toSettled(call, { kind, content }));
  if (kind === "failed") countMistake(change);
  else forgetMistakes(change);
  change.append({ type: "say", say: "subtask_result", text: shown, callId: call.callId });
}

function sayEnd(
  childId: string,
  end: SubtaskEnd,
): { readonly kind: Outcome["kind"]; readonly told: string; readonly shown: string } {
  switch (end.kind) {
    case "finished":
      return { kind: "done", told: subtaskFinished(childId, end.result), shown: end.result };
    case "cancelled":
      return {
        kind: "interrupted",
        told: subtaskCancelled(childId),
        shown: subtaskCancelled(childId),
      };
    case "failed": {
      const said = subtaskFailed(childId, end.message);
      return { kind: "failed", told: toolError(said), shown: said };
    }
  }
}
