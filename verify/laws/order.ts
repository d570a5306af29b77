import type { ToolCall } from "../../machines/tool-call/call.ts";
import { startedIds } from "./changes.ts";
import { isOfSubtask, SUBTASK } from "./delegated-calls.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const isEnded = ({ phase }: ToolCall): boolean => phase === "settled" || phase === "stopped";
const isRead = (call: ToolCall): boolean =>
  "review" in call && (call.review.effect === "reads" || call.review.effect === "none");
const isRunningRead = (call: ToolCall): boolean => call.phase === "running" && isRead(call);

const isSubtask = (call: ToolCall): boolean =>
  call.phase === "delegated" || (call.phase === "approved" && call.review.effect === "delegates");

/** Whether a call that is not settled may stand before another one that starts, or is decided. */
const isPassed = (call: ToolCall, startsSubtask: boolean): boolean =>
  isRunningRead(call) || (isSubtask(call) && startsSubtask);

const isSubtaskStart = (actorId: string): boolean => actorId.startsWith(SUBTASK);

/** The call that must settle first: an earlier one with an effect or ask; for an effect, any that runs. */
function blockingCall(
  calls: readonly ToolCall[],
  call: ToolCall,
  startsSubtask: boolean,
): ToolCall | undefined {
  const earlier = calls.slice(0, calls.indexOf(call));
  const unsettled = earlier.find((other) => !isEnded(other) && !isPassed(other, startsSubtask));
  if (unsettled !== undefined || isRead(call)) return unsettled;
  return calls.find((other) => other !== call && other.phase === "running");
}

function startsInOrder(step: Step): string | undefined {
  const ids = [...startedIds(step, "tool"), ...startedIds(step, "subtask")];
  if (ids.length === 0) return undefined;
  const { calls } = step.after.context.turn;
  for (const id of ids) {
    const call = calls.find(({ callId }) => id === `tool:${callId}` || id === `subtask:${callId}`);
    const blocking = call === undefined ? undefined : blockingCall(calls, call, isSubtaskStart(id));
    if (blocking !== undefined)
      return `${call?.name} started while ${blocking.name} (${blocking.callId}) is ${blocking.phase}`;
  }
  return undefined;
}

/** A call is asked about only after all earlier calls but reads ended. */
function asksInOrder({ after }: Step): string | undefined {
  const { ask, turn } = after.context;
  const call = turn.calls.find(({ callId, phase }) => callId === ask?.callId && phase === "asking");
  if (call === undefined) return undefined;
  const earlier = turn.calls.slice(0, turn.calls.indexOf(call));
  const other = earlier.find((one) => !isEnded(one) && !isPassed(one, isOfSubtask(call)));
  return other === undefined
    ? undefined
    : `${call.name} is asked about while ${other.name} is ${other.phase}`;
}

/** Source order; asks and effects one at a time; reads, and subtasks, in parallel unless an effect or ask precedes them. */
export const order: Law = {
  id: "ORDER",
  title:
    "calls start in source order, effects one at a time, reads in parallel only with reads, and subtasks with subtasks",
  violation: firstViolation(startsInOrder, asksInOrder),
};
