import type { EffectKind } from "../../machines/task/effect-kinds.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import type { Controlled, ControlPoint, ControlRecord } from "../../machines/tool-call/control.ts";
import { startedIds } from "./changes.ts";
import { firstViolation, isSame, type Law, type Step, type View } from "./law.ts";

const callOf = ({ context }: View, callId: string): ToolCall | undefined =>
  context.turn.calls.find((call) => call.callId === callId);

const recordsIn = (emitted: readonly TaskEmitted[]): readonly ControlRecord[] =>
  emitted.flatMap((event) => (event.type === "control.judged" ? [event.record] : []));

const isControlled = ({ context }: View, point: ControlPoint): boolean => context.controlled.includes(point);

/** A call passes the hooks of a controlled task only with a verdict about exactly its arguments. */
function callsAreJudged({ before, event, after, emitted }: Step): string | undefined {
  if (event.type !== "call.hooked" || !isControlled(before, "call")) return undefined;
  const [was, is] = [callOf(before, event.callId), callOf(after, event.callId)];
  if (was?.phase !== "hooking" || is === undefined || !("hooked" in is)) return undefined;
  if (is.hooked?.digest !== was.review.digest || is.hooked.amendedBy !== was.hooked?.amendedBy)
    return undefined;
  const isJudged = recordsIn(emitted).some(
    ({ point, callId, digest }) => point === "call" && callId === was.callId && digest === was.review.digest,
  );
  return isJudged ? undefined : `${was.callId} passed, and no protocol decided about its arguments`;
}

/** No result reaches the model before the protocol has judged it. */
function resultsAreJudged({ before, event, after, emitted }: Step): string | undefined {
  if (event.type !== "result.hooked" || !isControlled(before, "result")) return undefined;
  const [was, is] = [callOf(before, event.callId), callOf(after, event.callId)];
  if (was?.phase !== "ended" || is?.phase !== "settled" || is.outcome.kind === "denied") return undefined;
  const isJudged = recordsIn(emitted).some(
    ({ point, callId }) => point === "result" && callId === was.callId,
  );
  return isJudged ? undefined : `the result of ${was.callId} has no verdict, and the model gets it`;
}

/** Nothing of a response is shown, and none is part of the conversation, before the protocol has judged it. */
function responsesAreJudged({ before, event, after, emitted }: Step): string | undefined {
  if (!isControlled(before, "response")) return undefined;
  if (event.type === "response.judged")
    return after.context.turn.judged !== undefined &&
      before.context.turn.judged === undefined &&
      !recordsIn(emitted).some(({ point }) => point === "response")
      ? "a response follows that no protocol decided about"
      : undefined;
  if (before.context.turn.judged !== undefined || !event.type.startsWith("llm.")) return undefined;
  const isShown = after.context.turn.blocks.length > before.context.turn.blocks.length;
  const isSaid = emitted.some((each) => each.type === "entry.appended" && each.entry.role === "assistant");
  return isShown || (isSaid && event.type === "llm.finished")
    ? "a response is shown before its verdict"
    : undefined;
}

const EFFECTS: readonly EffectKind[] = [
  "llm",
  "context",
  "condense",
  "tool",
  "subtask",
  "checkpoint",
  "hook",
];

/** After the protocol has ended a task, no request and no effect starts. */
function nothingFollows(step: Step): string | undefined {
  if (step.after.context.control?.shutDown === undefined) return undefined;
  const started = EFFECTS.find((effect) => startedIds(step, effect).length > 0);
  return started && `the protocol has ended the task, and an actor of ${started} started`;
}

/** A verdict that ends the task ends it, and nothing takes that back. */
function endsAreKept({ before, event, after }: Step): string | undefined {
  const [was, is] = [before.context.control, after.context.control];
  if (was?.shutDown !== undefined && is?.shutDown !== was.shutDown)
    return "a task that its protocol ended goes on";
  const control = controlIn(event);
  return control?.shutDown !== undefined && wasApplied(before, after, control) && is?.shutDown === undefined
    ? "a verdict that ends the task was applied, and it goes on"
    : undefined;
}

const controlIn = (event: Step["event"]): Controlled | undefined =>
  "control" in event ? event.control : undefined;

const wasApplied = (before: View, after: View, { state }: Controlled): boolean =>
  !isSame(before.context.control, after.context.control) && isSame(after.context.control?.state, state);

/** The state of the protocol changes by its verdicts alone, and each verdict is recorded. */
function statesAreVerdicts({ before, event, after, emitted }: Step): string | undefined {
  const [was, is] = [before.context.control, after.context.control];
  const records = recordsIn(emitted);
  const control = controlIn(event);
  if (records.length > 0)
    return isSame(records, control?.records) && isSame(is?.state, control?.state)
      ? undefined
      : "a verdict was recorded that no protocol gave, or its state was lost";
  return isSame(was?.state, is?.state) && was?.protocol === is?.protocol
    ? undefined
    : "the state of the protocol changed without a verdict";
}

/** No message, request or state of the task has what a monitor says. */
function rationalesAreSecret({ event, after, emitted }: Step): string | undefined {
  const rationales = (controlIn(event)?.records ?? []).flatMap(({ rationales = {} }) =>
    Object.values(rationales),
  );
  if (rationales.length === 0) return undefined;
  const { control, turn, pending } = after.context;
  const shown = JSON.stringify([
    emitted.filter(({ type }) => type !== "control.judged"),
    control,
    turn,
    pending,
  ]);
  return rationales.some((rationale) => shown.includes(JSON.stringify(rationale).slice(1, -1)))
    ? "the rationale of a monitor left its record"
    : undefined;
}

/** CONTROL: what a control protocol decides is what happens. */
export const control: Law = {
  id: "CONTROL",
  title:
    "no call runs, no response is shown and no result is sent before its protocol decided about it; what it ends stays ended",
  violation: firstViolation(
    callsAreJudged,
    resultsAreJudged,
    responsesAreJudged,
    nothingFollows,
    endsAreKept,
    statesAreVerdicts,
    rationalesAreSecret,
  ),
};
