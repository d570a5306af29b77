import { assertEvent } from "xstate";
import {
  backgroundEnded,
  commandInBackground,
  completionBlocked,
  denied,
  deniedWithFeedback,
  textBlock,
  toolError,
  userMessage,
} from "../conversation/index.ts";
import type { Answer } from "../message/index.ts";
import type { CallIn, Outcome } from "../tool-call/index.ts";
import { advance } from "./advance.ts";
import { closeAsk, completeAsk, postAsk, startAsk } from "./asks.ts";
import {
  approve,
  begin,
  countMistake,
  forgetMistakes,
  permitByRule,
  resultOf,
  settle,
  skipRest,
  toolActorId,
} from "./calls.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import { takeQueue } from "./queue.ts";
import { reflectOnTurn } from "./request.ts";
import type { TaskContext } from "./task.types.ts";
import { callAtCursor, callIn, callsIn, setCall, toAsking, toSettled } from "./turn.ts";
import { blocksOf, feedbackOf, imagesOf, postFeedback } from "./words.ts";

/** Goes as far through the turn as it can without a person: text, reads, and the next permitted effect. */
export function settleNext(change: Change): void {
  advance(change);
  const call = callAtCursor(change.context);
  if (call?.phase === "decided" && call.ask === "completion_result") showResult(change, call);
  else if (call?.phase === "decided" && call.review.verdict.kind === "allow")
    startIfAlone(change, permitByRule(change, call));
  else if (call?.phase === "approved") startIfAlone(change, call);
}

function startIfAlone(change: Change, call: CallIn<"approved">): void {
  if (callsIn(change.context, "running").length > 0) return;
  if (call.ask === "command") postAsk(change, "command_output", "", call.callId);
  begin(change, call);
}

/** Puts the call at the cursor to a person: its partial row is completed, or it gets one. */
export function askAboutCall(change: Change): void {
  const { call, review } = dueCall(change.context, "decided");
  setCall(change, toAsking(call));
  if (call.row === undefined) postAsk(change, call.ask, review.text, call.callId);
  else completeAsk(change, call.row, call.ask, review.text, call.callId);
}

function dueCall<P extends "decided" | "asking">(context: TaskContext, phase: P) {
  const waiting = callAtCursor(context);
  const call = waiting === undefined ? undefined : callIn(context, waiting.callId, phase);
  if (call === undefined) throw new BrokenInvariantError(`no call is ${phase} at the cursor`);
  return { call, review: call.review };
}

const answerOf = ({ event }: Change): { answer: Answer; rule?: string } => {
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

/** The question's answer is the call's result. */
export function takeReply(change: Change): void {
  const { call } = dueCall(change.context, "asking");
  const feedback = feedbackOf(answerOf(change).answer) ?? { text: "", images: [] };
  postFeedback(change, feedback);
  setCall(
    change,
    toSettled(call, { kind: "done", content: wordsOr(blocksOf(feedback.text, feedback.images)) }),
  );
  forgetMistakes(change);
}

const wordsOr = (blocks: Outcome["content"]): Outcome["content"] =>
  blocks.length > 0 ? blocks : [textBlock(userMessage("(no words)"))];

/** Offers the completion: the task rests on its ask, and what the model wanted beside it is skipped. */
export function offerCompletion(change: Change): void {
  const { call } = dueCall(change.context, "decided");
  skipRest(change);
  setCall(change, toAsking(call));
  change.set({ result: call.review.text });
  postAsk(change, "completion_result", "", call.callId);
}

/** The result stands whole in its row, once. */
function showResult(change: Change, call: CallIn<"decided">): void {
  const { callId, review, row } = call;
  if (row === undefined) {
    const shown = change.append({ type: "say", say: "completion_result", text: review.text, callId });
    setCall(change, { ...call, row: shown });
  } else if (change.context.log.at(-1)?.partial === true)
    change.amend(row, { text: review.text, partial: false });
}

/** What waits in the queue is feedback to the completion, which is therefore not offered. */
export function answerCompletionFromQueue(change: Change): void {
  const { call } = dueCall(change.context, "decided");
  const content = takeQueue(change).flatMap(({ text, images }) => blocksOf(text, images));
  setCall(change, toSettled(call, { kind: "done", content: wordsOr(content) }));
  skipRest(change);
}

/** A completion after a failed call of the same turn is sent back. */
export function blockCompletion(change: Change): void {
  const { call } = dueCall(change.context, "decided");
  settle(change, call, "failed", toolError(completionBlocked()), completionBlocked());
}

/** Feedback to a completion: the completion's call gets it as its result. */
export function takeFeedback(change: Change): void {
  const { call } = dueCall(change.context, "asking");
  const feedback = feedbackOf(answerOf(change).answer) ?? { text: "", images: [] };
  postFeedback(change, feedback);
  setCall(
    change,
    toSettled(call, { kind: "done", content: wordsOr(blocksOf(feedback.text, feedback.images)) }),
  );
  skipRest(change);
}

/** A completion that was accepted or declined is closed, and may still be replied to. */
export function keepReplyable(change: Change): void {
  const { ask } = change.context;
  closeAnswered(change);
  change.set({ ask });
  if (ask !== undefined) startAsk(change, ask, "", ["text"]);
}

/** A call has come to its end: its result waits for the next request. */
export function settleCall(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const call = callIn(change.context, event.callId, "running");
  if (call === undefined) return;
  change.stop("tool", toolActorId(call.callId));
  if (event.type === "tool.finished") {
    setCall(change, toSettled(call, { kind: "done", content: resultOf(call, event.content) }));
    forgetMistakes(change);
  } else {
    setCall(
      change,
      toSettled(call, { kind: "failed", content: resultOf(call, [textBlock(toolError(event.error))]) }),
    );
    countMistake(change);
  }
  if (call.ask === "command") endCommand(change, call.callId);
  advance(change);
}

/** The command's ask ends with it, and its whole output is a row (L8). */
function endCommand(change: Change, callId: string): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  if (change.context.ask?.callId !== callId) return;
  closeAsk(change, "ended");
  const { output, exitCode } = event.command ?? { output: event.type === "tool.failed" ? event.error : "" };
  change.append({
    type: "say",
    say: "command_output",
    text: output,
    callId,
    ...(exitCode !== undefined && { exitCode }),
  });
}

/** More output of the command that is shown. */
export function growOutput(change: Change): void {
  const { event } = change;
  assertEvent(event, "tool.output");
  const { ask } = change.context;
  if (ask?.callId === event.callId) change.grow(ask.id, event.text);
}

/** The agent goes on; the command goes on beside it. */
export function continueBeside(change: Change): void {
  const call = shownCommand(change);
  closeAnswered(change);
  const feedback = feedbackOf(answerOf(change).answer);
  const command = call.review.text;
  const told = [textBlock(commandInBackground(command))];
  setCall(change, toSettled(call, { kind: "done", content: resultOf(call, told) }));
  change.set({ background: [...change.context.background, { callId: call.callId, command }] });
  change.append({ type: "say", say: "tool", callId: call.callId });
  if (feedback !== undefined) {
    postFeedback(change, feedback);
    change.set({ pending: [...change.context.pending, ...blocksOf(feedback.text, feedback.images)] });
  }
}

/** The user ends the command: what it wrote so far is a row, its end is waited for. */
export function abortCommand(change: Change): void {
  const { ask, log } = change.context;
  const call = shownCommand(change);
  const written = ask === undefined ? "" : (log.at(-1)?.text ?? "");
  closeAnswered(change);
  change.append({ type: "say", say: "command_output", text: written, callId: call.callId });
  change.abort(toolActorId(call.callId));
}

function shownCommand({ context }: Change): CallIn<"running"> {
  const call = callIn(context, context.ask?.callId ?? "", "running");
  if (call === undefined) throw new BrokenInvariantError("an output is asked about and no command runs");
  return call;
}

/** A command in the background has ended: the next request says so. */
export function endBackground(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const { background, pending } = change.context;
  const ended = background.find(({ callId }) => callId === event.callId);
  if (ended === undefined) return;
  change.stop("tool", toolActorId(event.callId));
  const { output, exitCode } = event.command ?? { output: event.type === "tool.failed" ? event.error : "" };
  change.set({
    background: background.filter((command) => command !== ended),
    pending: [...pending, textBlock(backgroundEnded(ended.command, output, exitCode))],
  });
}
