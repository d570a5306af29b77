import { hasNoWork } from "../../machines/message/states.ts";
import type { Turn } from "../../machines/task/task.context.ts";
import type { Phase, RecordedCall, ToolCall } from "../../machines/tool-call/call.ts";
import { appendedMessages } from "./changes.ts";
import { inBackground } from "./delegated-calls.ts";
import { firstViolation, isSame, type Law, type Step, topState } from "./law.ts";

/** A pause is asked for while the task works, and rests in `resumable`. */
function fitsState({ after: { state, context } }: Step): string | undefined {
  const { pause } = context;
  if (pause === "asked" && hasNoWork(state)) return `a pause is asked for in ${state}`;
  if (pause === "resting" && state !== "resumable") return `a pause rests in ${state}`;
  return undefined;
}

/** A pause takes effect wherever the task works, and stops nothing but a wait for a time. */
function takesEffect({ before, event, after, emitted }: Step): string | undefined {
  if (event.type !== "task.pause" || hasNoWork(before.state)) return undefined;
  if (after.context.pause === null) return `a pause changed nothing in ${before.state}`;
  const changed = emitted.find(
    (each) => each.type === "call.changed" || (each.type === "effect.stopped" && each.effect !== "timer"),
  );
  return changed === undefined ? undefined : `a pause emitted ${changed.type} in ${before.state}`;
}

/** After a pause was asked for, an open request ends, and no other opens. */
function opensNoRequest({ before, after }: Step): string | undefined {
  if (before.context.pause !== "asked") return undefined;
  const opens = topState(before.state) !== "streaming" && topState(after.state) === "streaming";
  return opens ? `a request opened in ${before.state} after a pause` : undefined;
}

/** A cancel before the pause may have stopped a call: the next request says how it ended. */
const DONE: ReadonlySet<Phase> = new Set(["settled", "stopped"]);

/** Whether a call is as a pause leaves it: it ended, its subtask is paused with the task, or it waits behind one. */
const mayRest = (call: ToolCall, { calls }: Turn, waitsForBackground: boolean): boolean =>
  waitsForBackground ||
  DONE.has(call.phase) ||
  (call.phase === "delegated" && call.rests === "paused") ||
  (call.phase === "approved" && calls.some(({ phase }) => phase === "delegated"));

/**
 * The step to rest loses and adds nothing: each call has its result or a paused subtask, or waits behind one, and one ask says
 * why the task rests.
 */
function losesNothing(step: Step): string | undefined {
  const { before, after, event, emitted } = step;
  if (before.context.pause === "resting" || after.context.pause !== "resting") return undefined;
  const waits = after.context.backgroundSubtasks.some(({ rests }) => rests === "paused");
  const open = after.context.turn.calls.find((call) => !mayRest(call, after.context.turn, waits));
  if (open !== undefined) return `the call ${open.callId} is ${open.phase} in a paused task`;
  const ended = "callId" in event ? event.callId : undefined;
  const cut = emitted.some(
    (each) => each.type === "call.changed" && each.call.callId !== ended && isInterrupted(each.call),
  );
  if (cut) return "a pause interrupted a call";
  const asks = appendedMessages(step).filter(
    ({ ask, reason }) => ask === "resume_task" && reason === "paused",
  );
  return asks.length === 1 ? undefined : `${asks.length} asks say that the task is paused`;
}

const isInterrupted = (call: RecordedCall): boolean =>
  "outcome" in call && call.outcome.kind === "interrupted";

/** An answer resumes the task where it was. Only what a person says is added to the next request. */
function resumesSilently(step: Step): string | undefined {
  const { before, event, after } = step;
  if (before.context.pause !== "resting" || after.context.pause === "resting") return undefined;
  if (event.type !== "ask.answered" && event.type !== "ask.expired") return `${event.type} ended a pause`;
  // Queued messages are a part of the next request.
  if (appendedMessages(step).some(({ say }) => say === "user_feedback")) return undefined;
  const told = before.context.backgroundSubtasks.filter(
    ({ callId }) => inBackground(after, callId) === undefined,
  ).length;
  return isSame(before.context.pending, after.context.pending.slice(0, after.context.pending.length - told))
    ? undefined
    : "the resume of a pause added content";
}

/** PAUSE: a pause takes effect between two requests, and its resume repeats and adds nothing. */
export const pause: Law = {
  id: "PAUSE",
  title: "after a pause no request opens, the turn ends whole, and its resume adds only what a person says",
  violation: firstViolation(fitsState, takesEffect, opensNoRequest, losesNothing, resumesSilently),
};
