import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Phase, ToolCall, ValidReview } from "../../machines/tool-call/call.ts";
import { startedIds } from "./changes.ts";
import { hadSubtask } from "./delegated-calls.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";

const callOf = ({ turn }: TaskContext, callId: string): ToolCall | undefined =>
  turn.calls.find((call) => call.callId === callId);

/** The newest review of a call: the event's, or the one that the call waits with. */
function reviewOf({ before, event, after }: Step, callId: string): ValidReview | undefined {
  if (event.type === "call.reviewed" && event.callId === callId && event.review.valid) return event.review;
  const [was, is] = [callOf(before.context, callId), callOf(after.context, callId)];
  if (is !== undefined && "review" in is) return is.review;
  return was !== undefined && "review" in was ? was.review : undefined;
}

/** The calls that this macrostep starts. A subtask that was delegated before goes on. */
function startedCalls(step: Step): readonly string[] {
  const tools = startedIds(step, "tool").map((id) => id.slice(TOOL.length));
  const subtasks = startedIds(step, "subtask").map((id) => id.slice(SUBTASK.length));
  return [...tools, ...subtasks.filter((callId) => !hadSubtask(step, callId))];
}

const HARMLESS: readonly ValidReview["effect"][] = ["reads", "none", "asks"];

/** The reason why a call may not start under the intent of its task. */
export function intentObjection(
  { intent }: Pick<TaskContext, "intent">,
  { effect, intent: finding }: Pick<ValidReview, "effect" | "intent">,
): string | undefined {
  if (intent === null) return undefined;
  if (finding?.kind === "refused") return "its intent refuses it";
  if (HARMLESS.includes(effect)) return undefined;
  if (intent.stage === "required") return `it ${effect}, and no intent is selected`;
  return finding?.id === intent.id
    ? undefined
    : `the intent is ${intent.id}, and it was judged by ${finding?.id ?? "none"}`;
}

/** Nothing that has an effect starts before an intent is selected, and nothing outside of what it owns. */
function startsAreOwned(step: Step): string | undefined {
  const { context } = step.after;
  if (context.intent === null) return undefined;
  for (const callId of startedCalls(step)) {
    const review = reviewOf(step, callId);
    const objection = review === undefined ? "nothing judged it" : intentObjection(context, review);
    if (objection !== undefined) return `${callId} started, and ${objection}`;
  }
  return undefined;
}

/** Nobody is asked about a call that the intent refuses, and no decision permits it. */
function refusedIsNotDecided({ after, emitted }: Step): string | undefined {
  if (after.context.intent === null) return undefined;
  for (const event of emitted) {
    if (event.type !== "decision.made") continue;
    const call = callOf(after.context, event.decision.callId);
    if (call === undefined || !("review" in call)) continue;
    // The approval of an amended call is judged once more before it starts.
    if (call.phase === "amending") continue;
    const finding = call.review.intent;
    if (finding?.kind === "refused") return `${call.callId} was approved, and its intent refuses it`;
    const { by } = event.decision;
    if (finding?.kind === "unscoped" && "rule" in by && by.rule === "mode bypass")
      return `${call.callId} was approved by ${by.rule}, and what it changes is not known`;
  }
  const asked = after.context.turn.calls.find(
    (call) => call.phase === "asking" && call.review.intent?.kind === "refused",
  );
  return asked && `a person is asked about ${asked.callId}, and its intent refuses it`;
}

/** A call that was denied before this macrostep has ended. */
function deniedStaysDenied(step: Step): string | undefined {
  const started = startedCalls(step).find((callId) => {
    const call = callOf(step.before.context, callId);
    return call?.phase === "settled" && call.outcome.kind === "denied";
  });
  return started && `${started} was denied, and started`;
}

const UNSTARTED: readonly Phase[] = [
  "planned",
  "deciding",
  "decided",
  "hooking",
  "judging",
  "asking",
  "approved",
];

/** A call that an earlier one of its response may still select an intent for is not refused. */
function refusalsWait({ before, event, after }: Step): string | undefined {
  if (event.type !== "call.reviewed" || !event.review.valid) return undefined;
  if (intentObjection(before.context, event.review) === undefined) return undefined;
  const { calls } = after.context.turn;
  const index = calls.findIndex(({ callId }) => callId === event.callId);
  const call = calls[index];
  if (call?.phase !== "settled" || call.outcome.kind !== "denied") return undefined;
  const earlier = calls.slice(0, index).find(({ phase }) => UNSTARTED.includes(phase));
  return earlier && `${call.callId} was refused before ${earlier.callId} could select an intent`;
}

/** The ids that calls selected in this macrostep. */
function selectedIn({ before, event, after }: Step): readonly string[] {
  return after.context.turn.calls.flatMap((call) => {
    const was = callOf(before.context, call.callId);
    const isDone = call.phase === "settled" && call.outcome.kind === "done" && was?.phase !== "settled";
    if (!isDone) return [];
    const reviewed =
      event.type === "call.reviewed" && event.callId === call.callId ? event.review : undefined;
    const review =
      reviewed?.valid === true ? reviewed : was !== undefined && "review" in was ? was.review : undefined;
    return review?.selectsIntent === undefined ? [] : [review.selectsIntent];
  });
}

/** Only a call that ran selects an intent, and what is recorded of it is what a reopened task has. */
function changesAreSelections(step: Step): string | undefined {
  const { before, after, reopened } = step;
  const is = after.context.intent;
  if (reopened !== undefined) {
    const recorded = reopened.facts.intent ?? null;
    return recorded === null || isSame(recorded, is)
      ? undefined
      : `the reopened task has the intent ${JSON.stringify(is)}, and ${JSON.stringify(recorded)} is recorded`;
  }
  const selected = selectedIn(step).at(-1);
  const expected = selected === undefined ? before.context.intent : { stage: "selected", id: selected };
  return isSame(is, expected)
    ? undefined
    : `the intent is ${JSON.stringify(is)}, expected ${JSON.stringify(expected)}`;
}

/** INTENT: in a workspace with intents, each effect belongs to the one that was selected for it. */
export const intent: Law = {
  id: "INTENT",
  heldBy: "intents",
  title: "no effect starts before an intent is selected, and none outside of what the selected one owns",
  violation: firstViolation(
    changesAreSelections,
    startsAreOwned,
    refusedIsNotDecided,
    deniedStaysDenied,
    refusalsWait,
  ),
};
