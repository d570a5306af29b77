import { textBlock } from "../conversation/blocks.ts";
import { contextExceeded, cutAtLimit, guidance, noToolUsed } from "../conversation/notices.ts";
import type { EndErrorCode } from "../message/end-error.ts";
import { imageBlocks } from "../tool-call/feedback.ts";
import { addFeedback, closeAnsweredAsk, postAsk, postFeedback, receivedFeedback } from "./asks.ts";
import { extendSpentBudget, spentAmount } from "./budget.ts";
import type { Change } from "./change.ts";
import { requireCompaction } from "./compaction.ts";
import { costReached } from "./limits.ts";
import type { TaskContext, Turn } from "./task.context.ts";
import type { Completion, Counters } from "./task.events.ts";
import { completesTask } from "./turn.ts";

export function setCounters(change: Change, patch: Partial<Counters>): void {
  change.set({ counters: { ...change.context.counters, ...patch } });
}

/** Resets what counts consecutive turns without a tool call. */
export function resetTurnCounters(change: Change): void {
  setCounters(change, { noToolUses: 0, pauses: 0 });
}

export function countMistake(change: Change): void {
  setCounters(change, { mistakes: change.context.counters.mistakes + 1 });
}

export function resetMistakes(change: Change): void {
  if (change.context.counters.mistakes > 0) setCounters(change, { mistakes: 0 });
}

export function resetRetries(change: Change): void {
  setCounters(change, { retries: 0 });
}

/** Evaluates a finished turn. After a response without a tool call that does not complete the task, the model gets a notice. */
export function evaluateTurn(change: Change): void {
  const { turn, counters, pending, limits, completion } = change.context;
  if (turn.stopReason === "model_context_window_exceeded") {
    change.append({ type: "say", say: "error", text: CONTEXT_EXCEEDED });
    requireCompaction(change);
  }
  if (turn.calls.length > 0 || completesTask(change.context)) {
    resetTurnCounters(change);
    return;
  }
  if (turn.stopReason === "pause_turn" && counters.pauses < limits.pauses) {
    setCounters(change, { pauses: counters.pauses + 1 });
    return;
  }
  if (turn.stopReason === "pause_turn") {
    const text = `The model paused its response more than ${limits.pauses} times in a row (the limit \`pauses\`).`;
    change.append({ type: "say", say: "error", text });
  }
  change.set({ pending: [...pending, textBlock(noticeOf(turn.stopReason, completion))] });
  setCounters(change, { noToolUses: counters.noToolUses + 1, pauses: 0 });
  if (counters.noToolUses + 1 < 2) return;
  change.append({ type: "say", say: "error", text: "MODEL_NO_TOOLS_USED" });
  countMistake(change);
}

const CONTEXT_EXCEEDED =
  "The response was cut at the end of the context window (model_context_window_exceeded).";

function noticeOf(stopReason: Turn["stopReason"], completion: Completion): string {
  if (stopReason === "max_tokens") return cutAtLimit();
  return stopReason === "model_context_window_exceeded" ? contextExceeded() : noToolUsed(completion);
}

export function askAboutMistakes(change: Change): void {
  const { mistakes } = change.context.counters;
  postAsk(change, "mistake_limit_reached", `${mistakes} consecutive errors. Give guidance, or continue.`);
}

/** Continues after the mistake limit. The model gets the feedback as guidance. */
export function applyGuidance(change: Change): void {
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  resetMistakes(change);
  if (feedback === undefined) return;
  postFeedback(change, feedback);
  const content = [textBlock(guidance(feedback.text)), ...imageBlocks(feedback.images)];
  change.set({ pending: [...change.context.pending, ...content] });
}

const BUDGET_SPENT =
  "The budget of this task and its subtasks is spent. A yes grants the same amounts again.";
const BUDGET_ERROR: { readonly errorCode: EndErrorCode } = { errorCode: "budget_spent" };
const COST_UNKNOWN = "The cost of a request is unknown: there is no price for its model.";

export function askAboutLimit(change: Change): void {
  const reached = reachedLimit(change.context);
  // The other codes follow from the text.
  const details = reached.reason === BUDGET_SPENT ? BUDGET_ERROR : {};
  postAsk(change, "auto_approval_max_req_reached", JSON.stringify(reached), details);
}

function reachedLimit({ budget, counters, limits }: TaskContext) {
  const spent = spentAmount(budget);
  if (budget !== null && spent !== undefined)
    return { count: budget.granted[spent], type: spent, reason: BUDGET_SPENT };
  const isCost = costReached(counters.cost, limits);
  return {
    count: isCost ? limits.cost : limits.requests,
    type: isCost ? "cost" : "requests",
    ...(isCost && counters.cost === null && { reason: COST_UNKNOWN }),
  };
}

/** Allows the same number of requests and the same cost again, and the same budget if it is spent. */
export function resetBudget(change: Change): void {
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  setCounters(change, { requests: 0, cost: 0 });
  extendSpentBudget(change);
  if (feedback !== undefined) addFeedback(change, feedback);
}
