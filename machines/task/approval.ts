import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { cycle, denied, deniedWithFeedback, repetition, toolError } from "../conversation/notices.ts";
import type { Answer } from "../message/asks.ts";
import type { CallIn, Decision, Feedback, Review, ValidReview } from "../tool-call/call.ts";
import { imageBlocks } from "../tool-call/feedback.ts";
import {
  completeAsk,
  EMPTY_FEEDBACK,
  feedbackBlocks,
  feedbackContent,
  feedbackOf,
  postAsk,
  postFeedback,
  receivedAmendment,
  receivedAnswer,
  receivedFeedback,
} from "./asks.ts";
import {
  recordDecision,
  reviewActorId,
  settleAsDenied,
  settleAsMistake,
  settleWithText,
  showApproval,
  showEdit,
  skipOtherCalls,
  UNDER_REVIEW,
} from "./calls.ts";
import type { Change } from "./change.ts";
import { endByAudit } from "./control.ts";
import { countMistake, resetMistakes, setCounters } from "./counters.ts";
import { countDiffFailure } from "./diffs.ts";
import { BrokenInvariantError } from "./errors.ts";
import { applyJudgement } from "./judging.ts";
import { allowFromNowOn, reviewAgain, selectMode, startReview } from "./permissions.ts";
import { countRepetition } from "./repetition.ts";
import type { TaskContext } from "./task.context.ts";
import type { AmendableCall } from "./task.setup.ts";
import { callIn, dueCall, moveCall } from "./turn.ts";
import { mayBeLifted, verdictOn } from "./verdict.ts";

/** Starts the review of a call with complete arguments. */
export function reviewCall(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.tool.end");
  const call = callIn(change.context, event.callId, "planned");
  if (call === undefined) return;
  startReview(change, moveCall(change, call, { type: "completed", input: event.input }));
}

/** Applies a review: the call waits for its turn, or is refused. */
export function applyReview(change: Change): void {
  const { event } = change;
  assertEvent(event, "call.reviewed");
  const call = callIn(change.context, event.callId, ...UNDER_REVIEW);
  if (call === undefined) return;
  change.stop("review", reviewActorId(call.callId));
  const { review } = event;
  if (call.phase === "judging") applyJudgement(change, call, review);
  else if (call.phase === "amending") applyAmendedReview(change, call, review);
  else if (!review.valid) settleAsInvalid(change, withText(call, review), review);
  else if (review.revision !== change.context.permissions.revision) reviewAgain(change, call);
  else applyValidReview(change, call, review);
}

function applyValidReview(change: Change, call: CallIn<"deciding">, review: ValidReview): void {
  const verdict = verdictOn(change.context, call, review);
  const pass = (): void => {
    moveCall(change, call, { type: "reviewed", review: { ...review, verdict } });
  };
  if (verdict.kind === "deny") {
    // An earlier call of the response may select an intent: the denial waits until its turn.
    if (mayBeLifted(change.context, call, review)) pass();
    else settleAsDenied(change, withText(call, review), verdict);
    return;
  }
  const isCounted = review.effect === "asks" || call.digest !== undefined;
  const repeated = isCounted ? undefined : countRepetition(change, review.digest);
  if (repeated !== undefined) refuseRepetition(change, withText(call, review), repeated);
  else pass();
}

/** The call with the text that its review found: the whole call. */
const withText = (call: CallIn<"deciding">, { text = call.preview }: Review): CallIn<"deciding"> => ({
  ...call,
  preview: text,
});

function settleAsInvalid(
  change: Change,
  call: CallIn<"deciding">,
  { error, patches, ignored }: Extract<Review, { valid: false }>,
): void {
  if (ignored !== undefined) {
    settleWithText(change, call, "invalid", toolError(error), { say: "rooignore_error", text: ignored });
    countMistake(change);
  } else if (patches === undefined) settleAsMistake(change, call, error);
  else settleAsMistake(change, call, countDiffFailure(change, patches, error), "diff_error");
}

/** Refuses a call that repeats a cycle of `length` calls. The user is asked before the next request. */
function refuseRepetition(change: Change, call: CallIn<"deciding">, length: number): void {
  settleAsMistake(change, call, length === 1 ? repetition(call.name) : cycle(call.name, length));
  const { counters, limits } = change.context;
  setCounters(change, { mistakes: Math.max(counters.mistakes, limits.mistakes) });
}

/** Id of the timer. A late event of an earlier timer has another id and is ignored. */
export const reviewTimerId = ({ request }: TaskContext): string => `review:${request}`;

/** Bounds the wait for the review of the call at the cursor. */
export function startReviewTimer(change: Change): void {
  const deadline = change.event.at + change.context.limits.finishingDeadlineMs;
  change.start("timer", "timer", { timerId: reviewTimerId(change.context), deadline });
}

/** Refuses the call at the cursor when its review takes too long. */
export function timeOutReview(change: Change): void {
  const call = currentCall(change.context, "deciding");
  change.stop("review", reviewActorId(call.callId));
  const { finishingDeadlineMs } = change.context.limits;
  settleAsMistake(change, call, `${call.name}: the review did not finish within ${finishingDeadlineMs} ms.`);
}

/** Asks a person about the call at the cursor. Completes its partial message, or appends one. */
export function askAboutCall(change: Change): void {
  const call = currentCall(change.context, "decided");
  const { ask, callId, row, review } = call;
  const reason = review.verdict.kind === "ask" ? review.verdict.because : undefined;
  const details = { callId, reason, call: amendable(call) };
  const askId =
    row === undefined
      ? postAsk(change, ask, review.text, details)
      : completeAsk(change, row, ask, review.text, details);
  moveCall(change, call, { type: "asked", row: askId });
}

/** The call, if a person may amend it. */
function amendable({ name, input, review }: CallIn<"decided">): AmendableCall | undefined {
  const proposal = review.facts?.proposal;
  return proposal && { name, input, ...(proposal.kind === "file" && { base: proposal.base }) };
}

/** The due call. The machine's states guarantee its phase. */
export function currentCall<P extends "deciding" | "decided" | "asking">(
  context: TaskContext,
  phase: P,
): CallIn<P> {
  const call = callIn(context, dueCall(context)?.callId ?? "", phase);
  if (call === undefined) throw new BrokenInvariantError(`the due call is not ${phase}`);
  return call;
}

export function approveCall(change: Change): void {
  const { answer, rule } = receivedAnswer(change);
  const call = allowFromNowOn(change, currentCall(change.context, "asking"), ruleIn(answer));
  const feedback = feedbackOf(answer);
  recordDecision(change, call, rule === undefined ? approverIn(answer) : { rule }, feedback);
  if (feedback !== undefined) postFeedback(change, feedback);
}

/** Approves a call with an amendment. What is permitted must permit the amended call, too, before it starts. */
export function amendCall(change: Change): void {
  const { answer } = receivedAnswer(change);
  const received = receivedAmendment(change.event);
  if (received?.amendment === undefined) throw new BrokenInvariantError("the answer has no amendment");
  const call = allowFromNowOn(change, currentCall(change.context, "asking"), ruleIn(answer));
  const { callId } = call;
  const decision: Decision = {
    callId,
    ...received,
    ...(call.hooked?.amendedBy !== undefined && { input: call.input }),
    by: approverIn(answer),
    at: change.event.at,
  };
  change.emit({ type: "decision.made", decision });
  showApproval(change, call);
  const feedback = feedbackOf(answer);
  const { amendment } = received;
  startReview(change, moveCall(change, call, { type: "amended", amendment, decision, feedback }));
  if (feedback !== undefined) postFeedback(change, feedback);
}

/** Applies the review of an amended call. Its approval replaces a verdict that asks. */
function applyAmendedReview(change: Change, call: CallIn<"amending">, review: Review): void {
  const { permissions } = change.context;
  if (!review.valid) refuseAmended(change, call, review.error);
  else if (review.revision !== permissions.revision) reviewAgain(change, call);
  else if (review.digest !== call.decision.digest)
    refuseAmended(change, call, `${call.name}: the amended arguments are not the approved ones.`);
  else {
    const verdict = verdictOn(change.context, call, review);
    if (verdict.kind === "deny") settleAsDenied(change, call, verdict);
    else
      showEdit(
        change,
        moveCall(change, call, { type: "amendment.reviewed", review: { ...review, verdict } }),
      );
  }
}

/** The model did not send the arguments, so they are no mistake of it. */
function refuseAmended(change: Change, call: CallIn<"amending">, error: string): void {
  settleWithText(change, call, "failed", toolError(error), { say: "error", text: error });
}

const approverIn = (answer: Answer): Decision["by"] => ({
  person: true,
  ...(answer.kind === "yes" && answer.by === "program" && { program: true }),
});

const ruleIn = (answer: Answer): string | undefined => (answer.kind === "yes" ? answer.rule : undefined);

export function rejectCall(change: Change): void {
  const call = currentCall(change.context, "asking");
  endByAudit(change, call);
  const feedback = receivedFeedback(change);
  if (feedback === undefined) settleWithText(change, call, "denied", denied());
  else {
    postFeedback(change, feedback);
    const content = [textBlock(deniedWithFeedback(feedback.text)), ...imageBlocks(feedback.images)];
    moveCall(change, call, { type: "settled", outcome: { kind: "denied", content } });
  }
  skipOtherCalls(change);
}

/** Shows feedback and makes it the result of the call that asked. Default: the feedback of the answer. */
export function settleWithFeedback(change: Change, given?: Feedback): void {
  const call = currentCall(change.context, "asking");
  const feedback = given ?? receivedFeedback(change) ?? EMPTY_FEEDBACK;
  postFeedback(change, feedback);
  const content = feedbackContent(feedbackBlocks(feedback));
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content } });
}

/** Makes the answer to a question the result of its call. */
export function applyAnswer(change: Change): void {
  settleWithFeedback(change);
  const { answer } = receivedAnswer(change);
  if (answer.kind === "text" && answer.mode !== undefined) selectMode(change, answer.mode);
  resetMistakes(change);
}
