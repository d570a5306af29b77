import type { EffectKind } from "../../machines/task/effect-kinds.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import type {
  Controlled,
  ControlPoint,
  ControlRecord,
  TrustedCall,
} from "../../machines/tool-call/control.ts";
import { startedIds } from "./changes.ts";
import { isCondensed } from "./compact.ts";
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

/** The digest of the arguments that the protocol has decided about by the end of this macrostep. */
function judgedDigest({ before, event, emitted }: Step, callId: string): string | undefined {
  if (event.type === "call.hooked" && event.callId === callId)
    return recordsIn(emitted).find((record) => record.callId === callId)?.digest;
  const call = callOf(before, callId);
  return call !== undefined && "hooked" in call ? call.hooked?.digest : undefined;
}

/** No call of a controlled task starts without a verdict about exactly its arguments, whatever the hooks of the task are. */
function startsAreJudged(step: Step): string | undefined {
  const { before, after } = step;
  if (!isControlled(before, "call")) return undefined;
  const started = [...startedIds(step, "tool"), ...startedIds(step, "subtask")].find((id) => {
    const callId = id.slice(id.indexOf(":") + 1);
    const [was, is] = [callOf(before, callId), callOf(after, callId)];
    const call = is !== undefined && "review" in is ? is : was;
    return call !== undefined && "review" in call && call.review.digest !== judgedDigest(step, callId);
  });
  return started && `${started} started, and no protocol decided about its arguments`;
}

/** A call that is audited starts only with the "yes" of a person: a deadline audits nothing. */
function auditsAreAnswered(step: Step): string | undefined {
  for (const id of startedIds(step, "tool")) {
    const call = callOf(step.after, id.slice(id.indexOf(":") + 1));
    if (
      call?.phase !== "running" ||
      call.hooked?.audits !== true ||
      call.hooked.digest !== call.review.digest
    )
      continue;
    if (!("person" in call.decision.by))
      return `${call.callId} is audited, and "${call.decision.by.rule}" decided it`;
  }
  return undefined;
}

const ENDS: ReadonlySet<Step["event"]["type"]> = new Set(["tool.finished", "tool.failed"]);

/** No result reaches the model before the protocol has judged it. */
function resultsAreJudged({ before, event, after, emitted }: Step): string | undefined {
  if (!("callId" in event) || event.callId === undefined || !isControlled(before, "result")) return undefined;
  const [was, is] = [callOf(before, event.callId), callOf(after, event.callId)];
  if (ENDS.has(event.type) && was?.phase === "running" && is?.phase === "settled")
    return `the result of ${was.callId} is settled before its verdict`;
  if (event.type !== "result.hooked") return undefined;
  if (was?.phase !== "ended" || is?.phase !== "settled" || is.outcome.kind === "denied") return undefined;
  const isJudged = recordsIn(emitted).some(
    ({ point, callId }) => point === "result" && callId === was.callId,
  );
  return isJudged ? undefined : `the result of ${was.callId} has no verdict, and the model gets it`;
}

/** Nothing of a response is shown, and none is part of the conversation, before the protocol has judged it. */
function responsesAreJudged(step: Step): string | undefined {
  const { before, event, after, emitted } = step;
  if (!isControlled(before, "response")) return undefined;
  if (after.context.turn.judged !== undefined && startedIds(step, "llm").length > 0)
    return "a request was sent, and its response counts as judged";
  if (event.type === "response.judged") return wrongJudgement(event, before, after, recordsIn(emitted));
  if (before.context.turn.judged !== undefined || !event.type.startsWith("llm.")) return undefined;
  const isShown = after.context.turn.blocks.length > before.context.turn.blocks.length;
  const isSaid = emitted.some((each) => each.type === "entry.appended" && each.entry.role === "assistant");
  return isShown || (isSaid && event.type === "llm.finished")
    ? "a response is shown before its verdict"
    : undefined;
}

/** A summary replaces entries of the conversation only with a verdict that lets it follow. */
function summariesAreJudged(step: Step): string | undefined {
  const { before, event, emitted } = step;
  if (event.type !== "condense.finished" || !isControlled(before, "response") || !isCondensed(step))
    return undefined;
  if (!recordsIn(emitted).some(({ point }) => point === "response"))
    return "a summary is part of the conversation, and no protocol decided about it";
  return event.withheld === undefined && event.control?.shutDown === undefined
    ? undefined
    : "a withheld summary is part of the conversation";
}

/** The output of a command in the background is a result: the model reads it by a call, which the protocol judges. */
function outputsAreJudged({ before, event, after }: Step): string | undefined {
  if (!ENDS.has(event.type) || !isControlled(before, "result")) return undefined;
  const told = after.context.pending.slice(before.context.pending.length);
  return JSON.stringify(told).includes("</command_output>")
    ? "the output of a command in the background reaches the model without a verdict"
    : undefined;
}

/** A verdict about a response is used once, and decides whether the response follows. */
function wrongJudgement(
  { withheld, control: { shutDown } }: Extract<Step["event"], { type: "response.judged" }>,
  before: View,
  after: View,
  records: readonly ControlRecord[],
): string | undefined {
  if (before.context.turn.judged !== undefined)
    return records.length > 0 ? "a response was judged twice" : undefined;
  if (after.context.turn.judged === undefined) return undefined;
  if (!records.some(({ point }) => point === "response"))
    return "a response follows that no protocol decided about";
  return withheld === undefined && shutDown === undefined ? undefined : "a withheld response follows";
}

/** The model and the user get the reason why a response was changed or withheld. */
function changesAreTold({ event, after, emitted }: Step): string | undefined {
  if (event.type !== "response.judged" || recordsIn(emitted).length === 0) return undefined;
  const reason = event.withheld ?? event.told;
  if (reason === undefined) return undefined;
  const text = JSON.stringify(reason).slice(1, -1);
  const shown = emitted.filter(({ type }) => type === "message.appended");
  return [after.context.pending, shown].every((each) => JSON.stringify(each).includes(text))
    ? undefined
    : "a response was changed, and nobody is told why";
}

/** The call of the trusted model by which this event replaces the call. */
function trustedCallFor(event: Step["event"], { callId, phase }: ToolCall): TrustedCall | undefined {
  if (event.type !== "call.hooked" || event.callId !== callId || phase === "settled") return undefined;
  return event.verdict.kind === "amend" ? event.verdict.trusted : undefined;
}

/** The trusted model is the author of the calls of its responses, and of calls in place of others. No other event changes an author. */
function authorsAreKept({ before, event, after }: Step): string | undefined {
  for (const is of after.context.turn.calls) {
    const was = callOf(before, is.callId);
    if (was === undefined && event.type !== "llm.tool.start") continue;
    const trusted = trustedCallFor(event, is);
    const writer = was === undefined ? after.context.turn.judged : was.author;
    const expected = trusted === undefined ? writer : "trusted";
    if ((is.author ?? "untrusted") !== (expected ?? "untrusted"))
      return `${is.callId} has the author ${is.author ?? "untrusted"}: expected ${expected ?? "untrusted"}`;
    if (trusted !== undefined && (is.name !== trusted.name || is.ask !== trusted.ask))
      return `the trusted model wrote ${is.callId} as a call of ${trusted.name}, and it is one of ${is.name}`;
  }
  return undefined;
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

/** After the protocol has ended a task, no request and no effect starts, and none is left when the task rests. */
function nothingFollows(step: Step): string | undefined {
  const { state, context, activeActors } = step.after;
  if (context.control?.shutDown === undefined) return undefined;
  const started = EFFECTS.find((effect) => startedIds(step, effect).length > 0);
  if (started !== undefined) return `the protocol has ended the task, and an actor of ${started} started`;
  const left = state.startsWith("idle") && [...activeActors].find((id) => id.startsWith("tool:"));
  return left ? `the protocol has ended the task, and ${left} runs` : undefined;
}

/** The "no" of a person who audits a call ends the task. */
function auditsEnd({ before, event, after }: Step): string | undefined {
  if (event.type !== "ask.answered" || event.answer.kind === "yes") return undefined;
  const { ask, turn } = before.context;
  if (event.askId !== ask?.id || ask.callId === undefined) return undefined;
  const call = turn.calls.find(({ callId }) => callId === ask.callId);
  return call?.phase === "asking" &&
    call.hooked?.audits === true &&
    after.context.control?.shutDown === undefined
    ? `a person found an attack in ${call.callId}, and the task goes on`
    : undefined;
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
  if (control !== undefined && emitted.length > 0 && records.length === 0)
    return "a verdict was applied, and it is not recorded";
  if (records.length > 0)
    return isSame(records, control?.records) && isSame(is?.state, control?.state)
      ? undefined
      : "a verdict was recorded that no protocol gave, or its state was lost";
  return isSame(was?.state, is?.state) && was?.protocol === is?.protocol
    ? undefined
    : "the state of the protocol changed without a verdict";
}

/** The cost of the verdicts about a call or a result is the cost that the task adds. */
function costsAreCounted({ before, event, after, emitted }: Step): string | undefined {
  if (event.type !== "call.hooked" && event.type !== "result.hooked") return undefined;
  const [was, is] = [before.context.total.cost, after.context.total.cost];
  if (was === null || is === null) return undefined;
  const cost = recordsIn(emitted).reduce((sum, { dollars = 0 }) => sum + dollars, 0);
  return Math.abs(is - was - cost) < TOLERANCE
    ? undefined
    : `verdicts cost ${cost}, and the task ${is - was}`;
}

/** Sums of dollars are not exact. */
const TOLERANCE = 1e-9;

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
  heldBy: "protocol",
  title:
    "no call runs, no response is shown and no result is sent before its protocol decided about it; what it ends stays ended",
  violation: firstViolation(
    callsAreJudged,
    startsAreJudged,
    auditsAreAnswered,
    resultsAreJudged,
    responsesAreJudged,
    summariesAreJudged,
    outputsAreJudged,
    changesAreTold,
    authorsAreKept,
    nothingFollows,
    auditsEnd,
    endsAreKept,
    statesAreVerdicts,
    costsAreCounted,
    rationalesAreSecret,
  ),
};
