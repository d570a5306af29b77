import type { DurableFacts, TaskContext } from "../../machines/task/index.ts";
import type { RecordedCall, ToolCall } from "../../machines/tool-call/index.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** All that must outlive the process, beside the log, the conversation, the queue and the calls. */
const FACTS = {
  pending: true,
  background: true,
  counters: true,
  retryAt: true,
  total: true,
  result: true,
  mode: true,
  children: true,
} as const satisfies Record<keyof DurableFacts, true>;
const isFact = (name: string): name is keyof DurableFacts => Object.hasOwn(FACTS, name);
const NAMES = Object.keys(FACTS).filter(isFact);

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Whatever a macrostep changed, in the context or in what is remembered, is the same in both. */
function factsAreTold({ before, after }: Step): string | undefined {
  const [was, is] = [before.recorded.facts, after.recorded.facts];
  const name = NAMES.find(
    (one) =>
      (before.context[one] !== after.context[one] || was[one] !== is[one]) &&
      !isSame(is[one], after.context[one]),
  );
  return name === undefined ? undefined : `${name} isn't what the pieces say that it is`;
}

/** Where neither side is another than before, they are as they were found then. */
function isAsBefore({ before, after, reopened }: Step): boolean {
  return (
    reopened === undefined &&
    before.recorded === after.recorded &&
    before.context.log === after.context.log &&
    before.context.conversation === after.context.conversation &&
    before.context.queue === after.context.queue
  );
}

function listsAreTold(step: Step): string | undefined {
  if (isAsBefore(step)) return undefined;
  const { recorded, context } = step.after;
  if (!isSame(recorded.queue, context.queue)) return "the queue is not the one that is remembered";
  if (recorded.log.length !== context.log.length || !isSame(recorded.log.at(-1), context.log.at(-1)))
    return "the log is not the one that is remembered";
  if (recorded.conversation.length !== context.conversation.length)
    return "the conversation is not the one that is remembered";
  return undefined;
}

/** The phases from which on a call must be remembered. */
type Lasting = RecordedCall["phase"];
const LASTING: readonly string[] = [
  "asking",
  "running",
  "stopped",
  "delegated",
  "settled",
] satisfies Lasting[];

const isChanged = (before: TaskContext, call: ToolCall): boolean =>
  !before.turn.calls.some((one) => one === call);

const feedbackOf = (call: ToolCall | RecordedCall) => ("feedback" in call ? call.feedback : undefined);

function isTold(call: ToolCall, known: RecordedCall | undefined): boolean {
  if (known?.toolUseId !== call.toolUseId || known.name !== call.name) return false;
  return isSame(feedbackOf(known), feedbackOf(call)) && isPhaseTold(call, known);
}

/** The phase, and what a call has in it alone. */
function isPhaseTold(call: ToolCall, known: RecordedCall): boolean {
  switch (call.phase) {
    case "settled":
      return known.phase === "settled" && isSame(known.outcome, call.outcome);
    case "delegated":
      return known.phase === "delegated" && known.childId === call.childId && isSame(known.input, call.input);
    case "running":
      return known.phase === "running" && known.replayable === call.review.replayable;
    case "stopped":
      return known.phase === "stopped" && known.replayable === call.replayable;
    default:
      return known.phase === call.phase;
  }
}

/** What a call came to is remembered. The opening itself derives the calls from what is remembered: L12, L16. */
function callsAreTold({ before, after, reopened }: Step): string | undefined {
  const { calls } = after.context.turn;
  if (calls.length === 0 && after.recorded.calls.length > 0)
    return `${after.recorded.calls[0]?.callId} is remembered and is no call of the turn`;
  if (reopened !== undefined) return undefined;
  const untold = calls.find(
    (call) =>
      LASTING.includes(call.phase) &&
      isChanged(before.context, call) &&
      !isTold(
        call,
        after.recorded.calls.find(({ callId }) => callId === call.callId),
      ),
  );
  return untold === undefined ? undefined : `${untold.callId} is ${untold.phase} and no piece says so`;
}

/** L11: what the pieces say, folded, is what the context says, after every macrostep. */
export const memory: Law = {
  id: "L11",
  title: "all that outlives the process is remembered as the context has it",
  violation: firstViolation(listsAreTold, factsAreTold, callsAreTold),
};
