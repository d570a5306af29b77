import { hasNoWork } from "../../machines/message/states.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Decision, Input, ToolCall, ValidReview } from "../../machines/tool-call/call.ts";
import { startedIds } from "./changes.ts";
import { hadSubtask, inBackground } from "./delegated-calls.ts";
import { firstViolation, type Law, type Step, type View } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";
const REVIEW = "review:";
const callOf = ({ context }: View, callId: string): ToolCall | undefined =>
  context.turn.calls.find((call) => call.callId === callId);

/** The review that a decision needs: the call's, or the one of this event. */
function reviewBefore({ before, event }: Step, call: ToolCall): ValidReview | undefined {
  if ("review" in call) return call.review;
  if (event.type !== "call.reviewed" || event.callId !== call.callId || call.phase !== "deciding")
    return undefined;
  return event.review.valid && before.activeActors.has(`review:${call.callId}`) ? event.review : undefined;
}

/** Whether a person who answered the ask of this call, or a named rule, made the decision. */
function isEntitled(step: Step, { callId, by }: Decision, review: ValidReview): boolean {
  const { event, before } = step;
  const last = before.context.log.at(-1);
  const hasAsk =
    last?.type === "ask" && last.partial !== true && last.closing === undefined && last.callId === callId;
  const isApproved = isYesTo(event, hasAsk ? last.ts : undefined);
  if ("person" in by) return isApproved && event.type === "ask.answered";
  if (review.verdict.kind === "allow") return review.verdict.rule === by.rule;
  if (by.rule === "mode bypass") return before.context.permissions.mode === "bypass";
  return isApproved && event.type === "ask.expired" && event.rule === by.rule;
}

/** The arguments that a decision is bound to: the reviewed ones, or those that the answer amends. */
function finalArguments({ event }: Step, call: ToolCall, { digest }: ValidReview): Partial<Decision> {
  const isAmended = event.type === "ask.answered" && event.answer.kind === "yes" && event.answer.amendment;
  if (isAmended) return { digest: event.digest ?? "", amendment: event.answer.amendment };
  return { digest, ...("amendment" in call && { amendment: call.amendment }) };
}

const isYesTo = (event: TaskEvent, askId: number | undefined): boolean =>
  (event.type === "ask.answered" || event.type === "ask.expired") &&
  event.askId === askId &&
  event.answer.kind === "yes";

function wrongDecision(step: Step, decision: Decision): string | undefined {
  const { callId, digest } = decision;
  const call = callOf(step.before, callId);
  if (call === undefined) return `${callId} was decided and is no call of the turn`;
  if (call.phase === "approved") return `${callId} was decided twice`;
  const review = reviewBefore(step, call);
  if (review === undefined || !["deciding", "decided", "hooking", "judging", "asking"].includes(call.phase))
    return `${callId} was decided while it was ${call.phase}`;
  const final = finalArguments(step, call, review);
  if (final.digest !== digest || final.amendment !== decision.amendment)
    return `the decision for ${callId} is bound to other arguments`;
  if (call.ask === "followup" || call.ask === "completion_result")
    return `${callId} is a ${call.ask}, which needs no decision`;
  return isEntitled(step, decision, review)
    ? undefined
    : `${callId} was decided by ${JSON.stringify(decision.by)} with ${step.event.type}, which is not entitled`;
}

function decisionsAreEntitled(step: Step): string | undefined {
  const decided: string[] = [];
  for (const event of step.emitted) {
    if (event.type !== "decision.made") continue;
    const { callId } = event.decision;
    if (decided.includes(callId)) return `${callId} was decided twice`;
    decided.push(callId);
    const wrong = wrongDecision(step, event.decision);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The decision that a start uses: an unused one, or one emitted before it in this macrostep. */
function decisionFor({ before, emitted }: Step, actorId: string, callId: string): Decision | undefined {
  const start = emitted.findIndex((event) => event.type === "effect.started" && event.id === actorId);
  const made = emitted
    .slice(0, start)
    .flatMap((event) =>
      event.type === "decision.made" && event.decision.callId === callId ? [event.decision] : [],
    );
  const call = callOf(before, callId);
  if (call?.phase === "hooking" || call?.phase === "judging") return call.approval?.decision ?? made[0];
  return call?.phase === "approved" || call?.phase === "amending" ? call.decision : made[0];
}

/** Arguments of a call before its start; undefined while they are incomplete. */
function inputBefore({ before }: Step, callId: string): Input | undefined {
  const call = callOf(before, callId);
  return call !== undefined && "input" in call ? call.input : undefined;
}

/** A subtask needs a decision like a tool; in a reopened task it resumes with its child. */
function subtasksAreDecided(step: Step): string | undefined {
  for (const id of startedIds(step, "subtask")) {
    const callId = id.slice(SUBTASK.length);
    const call = callOf(step.after, callId);
    const started = call?.phase === "delegated" ? call : inBackground(step.after, callId);
    if (started === undefined) return `${id} started and its call is ${call?.phase ?? "in no turn"}`;
    if (hadSubtask(step, callId)) {
      if (!isContinued(step, callId)) return `${id} was started twice`;
      continue;
    }
    if (decisionFor(step, id, callId) === undefined) return `${callId} was delegated without a decision`;
    if (inputBefore(step, callId) !== started.input) return `${callId} was delegated with other arguments`;
  }
  return undefined;
}

/** Whether the task was at rest, and its subtask with it, or the subtask alone. */
const isContinued = ({ before, event }: Step, callId: string): boolean =>
  before.state === "resumable" ||
  (hasNoWork(before.state) && inBackground(before, callId)?.rests !== undefined) ||
  (event.type === "subtask.paused" && event.callId === callId);

function startsAreDecided(step: Step): string | undefined {
  const ids = startedIds(step, "tool");
  if (ids.length === 0) return undefined;
  const started = ids.map((id) => id.slice(TOOL.length));
  for (const callId of started) {
    const decision = decisionFor(step, TOOL + callId, callId);
    const call = callOf(step.after, callId);
    if (
      started.indexOf(callId) !== started.lastIndexOf(callId) ||
      step.before.activeActors.has(TOOL + callId)
    )
      return `${callId} was started twice`;
    if (decision === undefined) return `${callId} started without an unused decision`;
    if (call?.phase !== "running") return `${callId} started and is ${call?.phase ?? "in no turn"}`;
    if (call.review.digest !== decision.digest) return `${callId} ran with another digest`;
    if (call.amendment !== decision.amendment) return `${callId} ran with another amendment`;
    if (call.review.verdict.kind === "deny") return `${callId} ran and is denied`;
    if (call.input !== inputBefore(step, callId))
      return `${callId} ran with other arguments than the model sent`;
  }
  return undefined;
}

/** An approval replaces a verdict that asks, never one that denies. */
function amendedDenialsHold({ before, event, after }: Step): string | undefined {
  if (event.type !== "call.reviewed" || !event.review.valid || event.review.verdict.kind !== "deny")
    return undefined;
  const { callId, review } = event;
  const isCurrent = review.revision === before.context.permissions.revision;
  const mayRun = ["approved", "running"].includes(callOf(after, callId)?.phase ?? "");
  return isCurrent && mayRun && callOf(before, callId)?.phase === "amending"
    ? `${callId} is amended and denied, and may run`
    : undefined;
}

/** A review starts at the end of a complete tool call, of an amended one, and again when what is permitted has changed. */
function reviewsAreOfCompleteCalls(step: Step): string | undefined {
  const { event } = step;
  const unexpected = startedIds(step, "review").find(
    (id) =>
      (event.type !== "llm.tool.end" || id !== `review:${event.callId}`) &&
      !["amending", "judging"].includes(callOf(step.after, id.slice(REVIEW.length))?.phase ?? "") &&
      !isRewritten(step, id.slice(REVIEW.length)) &&
      !isJudgedAgain(step, id.slice(REVIEW.length)),
  );
  return unexpected === undefined ? undefined : `${unexpected} was started by ${event.type}`;
}

/** Hooks replaced the arguments of the call in this event. */
function isRewritten({ event, after }: Step, callId: string): boolean {
  if (event.type !== "call.hooked" || event.callId !== callId || event.verdict.kind !== "amend") return false;
  const call = callOf(after, callId);
  return call?.phase === "deciding" && call.input === event.verdict.input;
}

/** The verdict before, or the one of this event, is of other permissions, and the arguments are the same. */
function isJudgedAgain({ before, event, after }: Step, callId: string): boolean {
  const [was, is] = [callOf(before, callId), callOf(after, callId)];
  if (was === undefined || is?.phase !== "deciding" || !("input" in was) || was.input !== is.input)
    return false;
  const { revision } = after.context.permissions;
  const isReviewed = was.phase === "amending" || was.phase === "judging";
  if ("review" in was && (!isReviewed || was.review.revision !== revision))
    return was.review.revision !== revision;
  return event.type === "call.reviewed" && event.review.valid && event.review.revision !== revision;
}

/** L7: a call starts only with a decision for it, bound to its arguments, entitled, used once. */
export const capability: Law = {
  id: "L7",
  title: "no call starts without a decision for it, bound to its complete arguments, used once",
  violation: firstViolation(
    decisionsAreEntitled,
    startsAreDecided,
    subtasksAreDecided,
    amendedDenialsHold,
    reviewsAreOfCompleteCalls,
  ),
};
