import type { TaskEvent } from "../../machines/task/index.ts";
import type { Decision, Input, ToolCall, ValidReview } from "../../machines/tool-call/index.ts";
import { startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step, type View } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";
const callOf = ({ context }: View, callId: string): ToolCall | undefined =>
  context.turn.calls.find((call) => call.callId === callId);

/** The review that a decision must rest on: the one that the call had, or the one that just came. */
function reviewBefore({ before, event }: Step, call: ToolCall): ValidReview | undefined {
  if ("review" in call) return call.review;
  if (event.type !== "call.reviewed" || event.callId !== call.callId || call.phase !== "deciding")
    return undefined;
  return event.review.valid && before.activeActors.has(`review:${call.callId}`) ? event.review : undefined;
}

/** Who may have decided: a person who answered the ask of this very call, or a named rule. */
function isEntitled(step: Step, { callId, by }: Decision, review: ValidReview): boolean {
  const { event, before } = step;
  const last = before.context.log.at(-1);
  const asked =
    last?.type === "ask" && last.partial !== true && last.closing === undefined && last.callId === callId;
  const said = isYesTo(event, asked ? last.ts : undefined);
  if ("person" in by) return said && event.type === "ask.answered";
  if (review.verdict.kind === "allow") return review.verdict.rule === by.rule;
  return said && event.type === "ask.expired" && event.rule === by.rule;
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
  if (review === undefined || !["deciding", "decided", "asking"].includes(call.phase))
    return `${callId} was decided while it was ${call.phase}`;
  if (review.digest !== digest) return `the decision for ${callId} is bound to other arguments`;
  if (call.ask === "followup" || call.ask === "completion_result")
    return `${callId} is a ${call.ask}, which nobody permits`;
  return isEntitled(step, decision, review)
    ? undefined
    : `nobody entitled decided ${callId}: ${JSON.stringify(decision.by)} by ${step.event.type}`;
}

function decisionsAreDue(step: Step): string | undefined {
  const decided: string[] = [];
  for (const piece of step.emitted) {
    if (piece.type !== "decision.made") continue;
    const { callId } = piece.decision;
    if (decided.includes(callId)) return `${callId} was decided twice`;
    decided.push(callId);
    const wrong = wrongDecision(step, piece.decision);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The decision that a start uses up: made before and unused, or made before it in this macrostep. */
function decisionFor({ before, emitted }: Step, actorId: string, callId: string): Decision | undefined {
  const start = emitted.findIndex((piece) => piece.type === "effect.started" && piece.id === actorId);
  const made = emitted
    .slice(0, start)
    .flatMap((piece) =>
      piece.type === "decision.made" && piece.decision.callId === callId ? [piece.decision] : [],
    );
  const call = callOf(before, callId);
  return call?.phase === "approved" ? call.decision : made[0];
}

/** The arguments of a call before its start. A call whose arguments did not come whole has none. */
function inputBefore({ before }: Step, callId: string): Input | undefined {
  const call = callOf(before, callId);
  return call !== undefined && "input" in call ? call.input : undefined;
}

/** A subtask begins under a decision like a tool; that of a task that is opened again goes on with its child. */
function subtasksAreDecided(step: Step): string | undefined {
  for (const id of startedIn(step, "subtask")) {
    const callId = id.slice(SUBTASK.length);
    const call = callOf(step.after, callId);
    if (call?.phase !== "delegated") return `${id} started and its call is ${call?.phase ?? "in no turn"}`;
    if (callOf(step.before, callId)?.phase === "delegated") {
      if (step.before.state !== "resumable") return `${id} was started twice`;
      continue;
    }
    if (decisionFor(step, id, callId) === undefined) return `${callId} was delegated without a decision`;
    if (inputBefore(step, callId) !== call.input) return `${callId} was delegated with other arguments`;
  }
  return undefined;
}

function startsAreDecided(step: Step): string | undefined {
  const ids = startedIn(step, "tool");
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
    if (decision === undefined) return `${callId} started without an unused decision of its own`;
    if (call?.phase !== "running") return `${callId} started and is ${call?.phase ?? "in no turn"}`;
    if (call.review.digest !== decision.digest) return `${callId} ran under another digest`;
    if (call.input !== inputBefore(step, callId))
      return `${callId} ran with other arguments than those that came`;
  }
  return undefined;
}

/** Only a block whose end came is looked at: a broken or cut one never gets so far. */
function reviewsAreOfWholeCalls(step: Step): string | undefined {
  const { event } = step;
  const odd = startedIn(step, "review").find(
    (id) => event.type !== "llm.tool.end" || id !== `review:${event.callId}`,
  );
  return odd === undefined ? undefined : `${odd} was started by ${event.type}`;
}

/** L7: a call starts only under a decision for it, bound to its arguments, by somebody entitled, used once. */
export const capability: Law = {
  id: "L7",
  title: "no call starts without a decision for it, bound to its whole arguments, used once",
  violation: firstViolation(decisionsAreDue, startsAreDecided, subtasksAreDecided, reviewsAreOfWholeCalls),
};
