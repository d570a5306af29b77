import type { ToolCall } from "../../machines/tool-call/index.ts";
import { startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const isOver = ({ phase }: ToolCall): boolean => phase === "settled" || phase === "stopped";
const isRead = (call: ToolCall): boolean =>
  "review" in call && (call.review.effect === "reads" || call.review.effect === "none");
const isRunningRead = (call: ToolCall): boolean => call.phase === "running" && isRead(call);

/** What stands in the way of the call: an earlier one with an effect or an ask, or, for an effect, any that runs. */
function inTheWay(calls: readonly ToolCall[], call: ToolCall): ToolCall | undefined {
  const earlier = calls.slice(0, calls.indexOf(call));
  const unsettled = earlier.find((other) => !isOver(other) && !isRunningRead(other));
  if (unsettled !== undefined || isRead(call)) return unsettled;
  return calls.find((other) => other !== call && other.phase === "running");
}

function startsInOrder(step: Step): string | undefined {
  const ids = [...startedIn(step, "tool"), ...startedIn(step, "subtask")];
  if (ids.length === 0) return undefined;
  const { calls } = step.after.context.turn;
  for (const id of ids) {
    const call = calls.find(({ callId }) => id === `tool:${callId}` || id === `subtask:${callId}`);
    const other = call === undefined ? undefined : inTheWay(calls, call);
    if (other !== undefined)
      return `${call?.name} started while ${other.name} (${other.callId}) is ${other.phase}`;
  }
  return undefined;
}

/** A person is asked about a call only once what came before it is over, reads aside. */
function asksInOrder({ after }: Step): string | undefined {
  const { ask, turn } = after.context;
  const call = turn.calls.find(({ callId, phase }) => callId === ask?.callId && phase === "asking");
  if (call === undefined) return undefined;
  const earlier = turn.calls.slice(0, turn.calls.indexOf(call));
  const other = earlier.find((one) => !isOver(one) && !isRunningRead(one));
  return other === undefined
    ? undefined
    : `${call.name} is asked about while ${other.name} is ${other.phase}`;
}

/** DESIGN 3: source order; asks and effects one at a time; a read beside others only where nothing else stands before it. */
export const order: Law = {
  id: "ORDER",
  title: "calls start in source order, effects one at a time, reads beside reads only",
  violation: firstViolation(startsInOrder, asksInOrder),
};
