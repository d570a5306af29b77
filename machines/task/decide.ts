import { assertEvent } from "xstate";
import { denied, deniedWithFeedback, textBlock, userMessage } from "../conversation/index.ts";
import type { Answer } from "../message/index.ts";
import type { CallIn, Outcome, ValidReview } from "../tool-call/index.ts";
import { advance } from "./advance.ts";
import { closeAsk, completeAsk, postAsk } from "./asks.ts";
import { approve, forgetMistakes, settle, skipRest } from "./calls.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import { reflectOnTurn } from "./finish.ts";
import type { TaskContext } from "./task.types.ts";
import { callAtCursor, callIn, setCall, toAsking, toSettled } from "./turn.ts";
import { blocksOf, feedbackOf, imagesOf, NO_WORDS, postFeedback } from "./words.ts";

/** Puts the call at the cursor to a person: its partial row is completed, or it gets one. */
export function askAboutCall(change: Change): void {
  const { call, review } = dueCall(change.context, "decided");
  setCall(change, toAsking(call));
  if (call.row === undefined) postAsk(change, call.ask, review.text, call.callId);
  else completeAsk(change, call.row, call.ask, review.text, call.callId);
}

/** The call whose turn it is, which must be in this phase: the states of the machine see to that. */
export function dueCall<P extends "decided" | "asking">(
  context: TaskContext,
  phase: P,
): { readonly call: CallIn<P>; readonly review: ValidReview } {
  const waiting = callAtCursor(context);
  const call = waiting === undefined ? undefined : callIn(context, waiting.callId, phase);
  if (call === undefined) throw new BrokenInvariantError(`no call is ${phase} at the cursor`);
  return { call, review: call.review };
}

export const answerOf = ({ event }: Change): { answer: Answer; rule?: string } => {
  assertEvent(event, ["ask.answered", "ask.expired"]);
  return event.type === "ask.expired" ? { answer: event.answer, rule: event.rule } : { answer: event.answer };
};

/** Closes the ask as its answer came: from whoever was asked, or from a policy's deadline. */
export function closeAnswered(change: Change): void {
  closeAsk(change, change.event.type === "ask.expired" ? "expired" : "answered");
}

export function approveCall(change: Change): void {
  const { answer, rule } = answerOf(change);
  const { call } = dueCall(change.context, "asking");
  const feedback = feedbackOf(answer);
  approve(change, call, rule === undefined ? { person: true } : { rule }, feedback);
  if (feedback !== undefined) postFeedback(change, feedback);
}

export function rejectCall(change: Change): void {
  const { call } = dueCall(change.context, "asking");
  const feedback = feedbackOf(answerOf(change).answer);
  if (feedback === undefined) settle(change, call, "denied", denied());
  else {
    postFeedback(change, feedback);
    const content = [textBlock(deniedWithFeedback(feedback.text)), ...imagesOf(feedback.images)];
    setCall(change, toSettled(call, { kind: "denied", content }));
  }
  skipRest(change);
  advance(change);
  reflectOnTurn(change);
}

/** The words of the answer are shown, and are the result of the call that asked for them. */
export function settleWithWords(change: Change): void {
  const { call } = dueCall(change.context, "asking");
  const feedback = feedbackOf(answerOf(change).answer) ?? NO_WORDS;
  postFeedback(change, feedback);
  setCall(
    change,
    toSettled(call, { kind: "done", content: wordsOr(blocksOf(feedback.text, feedback.images)) }),
  );
}

/** The question's answer is the call's result. */
export function takeReply(change: Change): void {
  settleWithWords(change);
  forgetMistakes(change);
}

export const wordsOr = (blocks: Outcome["content"]): Outcome["content"] =>
  blocks.length > 0 ? blocks : [textBlock(userMessage("(no words)"))];
