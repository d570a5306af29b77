import { assertEvent } from "xstate";
import { completionBlocked, toolError } from "../conversation/notices.ts";
import { resultOf } from "../message/result.ts";
import type { CallIn } from "../tool-call/call.ts";
import { currentCall, settleWithFeedback } from "./approval.ts";
import {
  addFeedback,
  closeAnsweredAsk,
  EMPTY_FEEDBACK,
  feedbackBlocks,
  feedbackContent,
  postAsk,
  postFeedback,
  receivedFeedback,
  startAskActor,
} from "./asks.ts";
import { cancelAtCompletion } from "./background-subtasks.ts";
import { returnRest } from "./budget.ts";
import { settleWithText, skipOtherCalls } from "./calls.ts";
import type { Change } from "./change.ts";
import { resetTurnCounters } from "./counters.ts";
import { takeNext, takeQueue } from "./queue.ts";
import { callsIn, describeCall, dueCall, moveCall } from "./turn.ts";

/** Asks the user to accept the result: of the due completion, or else the last text. */
export function offerResult(change: Change): void {
  cancelAtCompletion(change);
  if (dueCall(change.context) === undefined) offerFinalText(change);
  else offerCompletion(change);
}

function offerFinalText(change: Change): void {
  resetTurnCounters(change);
  postAsk(change, "completion_result", "");
  change.set({ result: resultOf(change.context.log) });
}

/** The turn's other calls are skipped. */
function offerCompletion(change: Change): void {
  const call = currentCall(change.context, "decided");
  skipOtherCalls(change);
  change.set({ result: call.review.text });
  const { callId, review } = call;
  const askId = postAsk(change, "completion_result", "", { callId, acceptedBy: review.acceptedBy });
  moveCall(change, call, { type: "asked", row: askId });
}

/** Shows the whole result in its message, once. */
export function showResult(change: Change, call: CallIn<"decided">): void {
  const { callId, review, row } = call;
  if (row === undefined) {
    const shown = change.append({ type: "say", say: "completion_result", text: review.text, callId });
    describeCall(change, call, { row: shown });
  } else if (change.context.log.at(-1)?.partial === true)
    change.amend(row, { text: review.text, partial: false });
}

/** Makes the queued messages the completion's result: it is not offered. */
export function applyQueuedFeedback(change: Change, call: CallIn<"decided">): void {
  const content = takeQueue(change).flatMap(feedbackBlocks);
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content: feedbackContent(content) } });
  skipOtherCalls(change);
}

/** Refuses a completion after a failed call of the same turn. */
export function blockCompletion(change: Change, call: CallIn<"decided">): void {
  const text = completionBlocked();
  settleWithText(change, call, "failed", toolError(text), { say: "error", text });
}

/** Makes feedback to a completion the result of its call. */
export function applyFeedback(change: Change): void {
  settleWithFeedback(change);
  skipOtherCalls(change);
}

/** Makes the oldest queued message the result of the completion's call. */
export function deliverToCall(change: Change): void {
  settleWithFeedback(change, takeNext(change));
  skipOtherCalls(change);
}

/** Changes what completes the task. */
export function selectCompletion(change: Change): void {
  const { event } = change;
  assertEvent(event, "completion.selected");
  change.set({ completion: event.completion });
}

/** Makes feedback to a completion the result of its call, if it has one that is known, or else new content. */
export function continueAfterCompletion(change: Change): void {
  const feedback = receivedFeedback(change) ?? EMPTY_FEEDBACK;
  const completion = callsIn(change.context, "stopped").find(({ ask }) => ask === "completion_result");
  if (completion === undefined) {
    addFeedback(change, feedback);
    return;
  }
  postFeedback(change, feedback);
  const content = feedbackContent(feedbackBlocks(feedback));
  moveCall(change, completion, { type: "settled", outcome: { kind: "done", content } });
}

/** Closes the ask of an accepted or declined completion, and still takes feedback to it. */
export function awaitFeedback(change: Change): void {
  const { ask } = change.context;
  closeAnsweredAsk(change);
  change.set({ ask });
  if (ask !== undefined) startAskActor(change, ask, "", ["text"]);
}

export function reportCompletion(change: Change): void {
  const { taskId, result, total } = change.context;
  const rest = returnRest(change);
  change.emit({
    type: "task.completed",
    taskId,
    result: result ?? "",
    usage: total,
    ...(rest !== undefined && { rest }),
  });
}
