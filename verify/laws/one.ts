import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { Decision, StartJudgement, ToolCall } from "../../machines/tool-call/call.ts";
import { mayMatter } from "../observations.ts";
import { startedIds } from "./changes.ts";
import { hadSubtask } from "./delegated-calls.ts";
import { isSame, type Law, type Step, type View } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";

const callOf = ({ context }: View, callId: string): ToolCall | undefined =>
  context.turn.calls.find((call) => call.callId === callId);

/** The calls that the macrostep started. A subtask of a reopened task goes on. */
function startedCalls(step: Step): readonly string[] {
  const delegated = startedIds(step, "subtask").map((id) => id.slice(SUBTASK.length));
  return [
    ...startedIds(step, "tool").map((id) => id.slice(TOOL.length)),
    ...delegated.filter((callId) => !hadSubtask(step, callId)),
  ];
}

/** The decision under which a call of the turn starts. */
function decisionFor({ before, emitted }: Step, callId: string): Decision | undefined {
  const was = callOf(before, callId);
  if (was?.phase === "judging" && was.approval !== undefined) return was.approval.decision;
  for (const event of emitted)
    if (event.type === "decision.made" && event.decision.callId === callId) return event.decision;
  return undefined;
}

const isSkip = (event: TaskEmitted): boolean =>
  event.type === "call.changed" && event.call.phase === "settled" && event.call.outcome.kind === "skipped";

/** The judgement of the call in this event, by what had happened before it. */
function judgementIn({ before, event, emitted }: Step, callId: string): StartJudgement | string {
  const review =
    event.type === "call.reviewed" && event.callId === callId && event.review.valid
      ? event.review
      : undefined;
  if (callOf(before, callId)?.phase !== "judging" || review?.start === undefined)
    return "policies over time did not judge it";
  const { judged } = before.observed;
  // The calls that the start of a subtask skips end after it.
  const first = emitted.find((each) => mayMatter(each) && !isSkip(each));
  const isFirst = first?.type === "call.changed" && first.call.callId === callId;
  return judged?.callId === callId && judged.isCurrent && isFirst
    ? review.start
    : "something happened since it was judged";
}

function wrongStart(step: Step, callId: string): string | undefined {
  const judgement = judgementIn(step, callId);
  if (typeof judgement === "string") return `${callId} started, and ${judgement}`;
  const decision = decisionFor(step, callId);
  const by = decision !== undefined && "person" in decision.by ? "person" : "policy";
  const objection = judgement[by];
  if (objection !== undefined) return `${callId} started by a ${by}, and breaks ${objection.rule}`;
  const recorded = step.after.recorded.calls.find((call) => call.callId === callId);
  return recorded !== undefined && "facts" in recorded && isSame(recorded.facts, judgement.facts)
    ? undefined
    : `${callId} is recorded with other facts than those that were judged`;
}

/** ONE: enforcement is the monitor. It judges each start by the events before it, no matter who permitted the call. */
export const one: Law = {
  id: "ONE",
  heldBy: "policies",
  title: "each started call satisfies the policies over time as the next event of its journal",
  violation(step) {
    if (!step.after.context.policies) return undefined;
    for (const callId of startedCalls(step)) {
      const wrong = wrongStart(step, callId);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  },
};
