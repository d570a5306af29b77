import { completionBlocked, toolError } from "../conversation/index.ts";
import type { CallIn } from "../tool-call/index.ts";
import { postAsk, startAsk } from "./asks.ts";
import { settle, skipRest } from "./calls.ts";
import type { Change } from "./change.ts";
import { closeAnswered, dueCall, settleWithWords, wordsOr } from "./decide.ts";
import { takeQueue } from "./queue.ts";
import { setCall, toAsking, toSettled } from "./turn.ts";
import { blocksOf } from "./words.ts";

/** Offers the completion: the task rests on its ask, and what the model wanted beside it is skipped. */
export function offerCompletion(change: Change): void {
  const { call } = dueCall(change.context, "decided");
  skipRest(change);
  setCall(change, toAsking(call));
  change.set({ result: call.review.text });
  postAsk(change, "completion_result", "", call.callId);
}

/** The result stands whole in its row, once. */
export function showResult(change: Change, call: CallIn<"decided">): void {
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
  settleWithWords(change);
  skipRest(change);
}

/** A completion that was accepted or declined is closed, and may still be replied to. */
export function keepReplyable(change: Change): void {
  const { ask } = change.context;
  closeAnswered(change);
  change.set({ ask });
  if (ask !== undefined) startAsk(change, ask, "", ["text"]);
}
