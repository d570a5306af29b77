import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { CallIn, SubtaskOutcome } from "../../machines/tool-call/call.ts";
import { completesWithoutWork, endsAreKept, endsAreTold, startsSettle } from "./background-ends.ts";
import { appendedMessages } from "./changes.ts";
import { delegatedIn, SUBTASK, textOf } from "./delegated-calls.ts";
import { expectedResult } from "./expected-result.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** The end of the call's subtask, if known by the macrostep. */
function endOf({ before, event, reopened }: Step, call: CallIn<"delegated">): SubtaskOutcome | undefined {
  if (event.type === "subtask.ended" && event.callId === call.callId)
    return before.activeActors.has(SUBTASK + call.callId) ? event.end : undefined;
  return reopened?.childEnds?.get(call.callId) ?? call.end;
}

function wrongSettling(step: Step, was: CallIn<"delegated">): string | undefined {
  const { after, event } = step;
  const { callId, childId } = was;
  const call = after.context.turn.calls.find((one) => one.callId === callId);
  const end = endOf(step, was);
  const isStopped = event.type === "task.cancel" || event.type === "journal.failed";
  if (call?.phase === "delegated") {
    if (isStopped && after.state !== step.before.state) return `${callId} is delegated after a ${event.type}`;
    return event.type === "subtask.ended" && end !== undefined
      ? `the end of ${childId} did not settle its call`
      : undefined;
  }
  if (call?.phase !== "settled") return `${callId} is ${call?.phase ?? "gone"} and was delegated`;
  const expected = expectedResult(was, end ?? { kind: "cancelled" });
  if (end === undefined && !isStopped) return `${callId} was settled before ${childId} ended`;
  const text = textOf(call.outcome.content);
  if (call.outcome.kind !== expected.kind || !text.includes(expected.result))
    return `${callId} was settled as ${call.outcome.kind} ${text}; its subtask ended as ${end?.kind ?? "cancelled"}`;
  return wrongMessage(step, was, end === undefined ? undefined : expected.text);
}

/** One message reports the end in the same words; without an end there is none. */
function wrongMessage(
  step: Step,
  { callId, childId }: CallIn<"delegated">,
  text: string | undefined,
): string | undefined {
  const messages = appendedMessages(step).filter(
    (message) => message.say === "subtask_result" && message.callId === callId,
  );
  const expected = text === undefined ? 0 : 1;
  if (messages.length !== expected)
    return `${messages.length} messages report the end of ${childId}, expected ${expected}`;
  const other = messages.find((message) => message.text !== text);
  return other === undefined ? undefined : `the message of ${childId} has ${other.text}, expected ${text}`;
}

/** Delegated calls of the context or, in a reopened task, of the journal. */
const delegatedBefore = ({ before, reopened }: Step): readonly CallIn<"delegated">[] =>
  reopened === undefined
    ? delegatedIn(before)
    : reopened.calls.flatMap((call) => (call.phase === "delegated" ? [call] : []));

/** The ends of the subtasks that the macrostep settled. */
export function settledEnds(step: Step): readonly SubtaskOutcome[] {
  return delegatedBefore(step).flatMap((was) => {
    const { phase } = step.after.context.turn.calls.find(({ callId }) => callId === was.callId) ?? was;
    const end = phase === "settled" ? endOf(step, was) : undefined;
    return end === undefined ? [] : [end];
  });
}

function endsAreResults(step: Step): string | undefined {
  for (const was of delegatedBefore(step)) {
    const wrong = wrongSettling(step, was);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const mayReportEnd = ({ type }: TaskEmitted): boolean =>
  type === "call.changed" || type === "message.appended";

/** One tool result and one message for each subtask. */
function settledOnce({ before, emitted }: Step): string | undefined {
  if (!emitted.some(mayReportEnd)) return undefined;
  const settled = new Set(
    before.recorded.calls.flatMap(({ phase, callId }) => (phase === "settled" ? [callId] : [])),
  );
  const reported = new Set(before.observed.reported);
  for (const event of emitted) {
    if (event.type === "message.appended" && event.message.say === "subtask_result") {
      const callId = event.message.callId ?? "";
      if (reported.has(callId)) return `the end of the subtask of ${callId} is reported twice`;
      if (!before.observed.children.has(callId))
        return `${callId} has no subtask whose end could be reported`;
      reported.add(callId);
    }
    if (event.type !== "call.changed" || event.call.phase !== "settled") continue;
    if (settled.has(event.call.callId)) return `${event.call.callId} was settled twice`;
    settled.add(event.call.callId);
  }
  return undefined;
}

/** JOIN: the end of each subtask is the result of its call, or a text of the next request, and one message, once. */
export const join: Law = {
  id: "JOIN",
  title:
    "the end of a subtask is the result of its call, or in the background a text of the next request, and one message with the same words, exactly once",
  violation: firstViolation(
    endsAreResults,
    settledOnce,
    endsAreKept,
    endsAreTold,
    startsSettle,
    completesWithoutWork,
  ),
};
