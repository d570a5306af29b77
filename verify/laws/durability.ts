import { FACT_NAMES } from "../../machines/task/commit.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { RecordedCall, ToolCall } from "../../machines/tool-call/call.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

/** A fact that changed, in the context or in the journal, is the same in both. */
function factsAreRecorded({ before, after }: Step): string | undefined {
  const [was, is] = [before.recorded.facts, after.recorded.facts];
  const name = FACT_NAMES.find(
    (fact) =>
      (before.context[fact] !== after.context[fact] || was[fact] !== is[fact]) &&
      !isSame(is[fact], after.context[fact]),
  );
  return name === undefined ? undefined : `${name} differs from the recorded value`;
}

/** Unchanged lists were compared in an earlier macrostep. */
function isUnchanged({ before, after, reopened }: Step): boolean {
  return (
    reopened === undefined &&
    before.recorded === after.recorded &&
    before.context.log === after.context.log &&
    before.context.conversation === after.context.conversation &&
    before.context.queue === after.context.queue
  );
}

function listsAreRecorded(step: Step): string | undefined {
  if (isUnchanged(step)) return undefined;
  const { recorded, context } = step.after;
  if (!isSame(recorded.queue, context.queue)) return "the queue differs from the recorded queue";
  if (recorded.log.length !== context.log.length || !isSame(recorded.log.at(-1), context.log.at(-1)))
    return "the log differs from the recorded log";
  if (recorded.conversation.length !== context.conversation.length)
    return "the conversation differs from the recorded conversation";
  return undefined;
}

/** Phases in which a call must be recorded. In each other one it is recorded as asked, or not at all. */
const RECORDED_PHASES: readonly string[] = [
  "asking",
  "running",
  "stopped",
  "delegated",
  "ended",
  "settled",
] satisfies RecordedCall["phase"][];

const isChanged = (before: TaskContext, call: ToolCall): boolean =>
  !before.turn.calls.some((one) => one === call);

const feedbackOf = (call: ToolCall | RecordedCall) => ("feedback" in call ? call.feedback : undefined);

function isRecorded(call: ToolCall, recorded: RecordedCall | undefined): boolean {
  if (recorded?.toolUseId !== call.toolUseId || recorded.name !== call.name) return false;
  return isSame(feedbackOf(recorded), feedbackOf(call)) && isPhaseRecorded(call, recorded);
}

/** Compare the phase and the fields of that phase. */
function isPhaseRecorded(call: ToolCall, recorded: RecordedCall): boolean {
  switch (call.phase) {
    case "settled":
      return recorded.phase === "settled" && isSame(recorded.outcome, call.outcome);
    case "delegated":
      return (
        recorded.phase === "delegated" &&
        recorded.childId === call.childId &&
        isSame(recorded.grant, call.grant) &&
        recorded.isolation === call.isolation &&
        isSame(recorded.input, call.input)
      );
    case "running":
      return recorded.phase === "running" && recorded.replayable === call.review.replayable;
    case "stopped":
      return recorded.phase === "stopped" && recorded.replayable === call.replayable;
    default:
      return recorded.phase === call.phase;
  }
}

const isRecordedAsItIs = (call: ToolCall, recorded: RecordedCall | undefined): boolean =>
  RECORDED_PHASES.includes(call.phase)
    ? isRecorded(call, recorded)
    : recorded === undefined || recorded.phase === "asking";

/** A changed call is recorded. A reopened task derives its calls from the journal: L12, L16. */
function callsAreRecorded({ before, after, reopened }: Step): string | undefined {
  const { calls } = after.context.turn;
  if (calls.length === 0 && after.recorded.calls.length > 0)
    return `${after.recorded.calls[0]?.callId} is recorded and is no call of the turn`;
  if (reopened !== undefined) return undefined;
  const recordOf = (callId: string) => after.recorded.calls.find((recorded) => recorded.callId === callId);
  const changed = calls.filter((call) => isChanged(before.context, call));
  const unrecorded = changed.find((call) => !isRecordedAsItIs(call, recordOf(call.callId)));
  return unrecorded === undefined
    ? undefined
    : `${unrecorded.callId} is ${unrecorded.phase} and is not recorded so`;
}

/** L11: after every macrostep the folded commits equal the context. */
export const durability: Law = {
  id: "L11",
  title: "the recorded facts, lists and calls equal the context's",
  violation: firstViolation(listsAreRecorded, factsAreRecorded, callsAreRecorded),
};
