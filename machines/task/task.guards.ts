import { type Answer, fitOf } from "../message/index.ts";
import { queueHas } from "./queue.ts";
import { mayRetry } from "./retry.ts";
import { taskSetup } from "./task.setup.ts";
import type { TaskContext, TaskEvent } from "./task.types.ts";
import { retryTimerId, reviewTimerId } from "./timers.ts";
import { callAtCursor, callIn, callsIn } from "./turn.ts";
import { feedbackOf } from "./words.ts";

interface Facts {
  readonly context: TaskContext;
  readonly event: TaskEvent;
}

/** The answer, if the event is one, names the open ask and is of a kind that the ask takes (L8). */
function answerIn({ context, event }: Facts): Answer | undefined {
  if (event.type !== "ask.answered" && event.type !== "ask.expired") return undefined;
  const { ask } = context;
  if (ask === undefined || ask.id !== event.askId) return undefined;
  return fitOf(ask.ask, event.answer.kind) === "taken" ? event.answer : undefined;
}

/** The ask by which the call at the cursor is put to a person. A completion waits for the reads before it. */
const dueAsk = ({ context }: Facts) => {
  const call = callAtCursor(context);
  if (call?.phase !== "decided" || call.review.verdict.kind !== "ask") return undefined;
  const waits = call.ask === "completion_result" && callsIn(context, "running").length > 0;
  return waits ? undefined : call.ask;
};

const isGoOn = (facts: Facts): boolean => ["yes", "text"].includes(answerIn(facts)?.kind ?? "");

/** A subtask that is at work, or was when the task was opened. */
const hasSubtask = (context: TaskContext): boolean =>
  callsIn(context, "delegated").some(({ end }) => end === undefined);

const isOver = (kind: string): boolean => kind === "failed" || kind === "invalid";

/** What the machine looks at before it goes a way. None of these reads the log: L1 must not prove itself. */
export const taskGuards = taskSetup.extend({
  guards: {
    // Events of stopped or foreign runs are dropped by these.
    isOpenRequest: ({ context, event }) => "requestId" in event && event.requestId === context.request,
    isNextBlock: ({ context, event }) =>
      event.type === "llm.tool.start" &&
      event.requestId === context.request &&
      event.index === context.turn.blocks.length &&
      !context.turn.calls.some(
        ({ callId, toolUseId }) => callId === event.callId || toolUseId === event.toolUseId,
      ),
    mayRetry: ({ context, event }) =>
      event.type === "llm.failed" && event.requestId === context.request && mayRetry(context, event.failure),
    isUnderReview: ({ context, event }) =>
      event.type === "call.reviewed" && callIn(context, event.callId, "deciding") !== undefined,
    isRunningCall: ({ context, event }) =>
      "callId" in event && callIn(context, event.callId, "running") !== undefined,
    isAwaitedCheckpoint: ({ context, event }) =>
      "callId" in event && callAtCursor(context)?.callId === event.callId,
    isDelegated: ({ context, event }) =>
      event.type === "subtask.ended" && callIn(context, event.callId, "delegated") !== undefined,
    isBackground: ({ context, event }) =>
      "callId" in event && context.background.some(({ callId }) => callId === event.callId),
    isReviewTimer: ({ context, event }) =>
      event.type === "timer.fired" && event.timerId === reviewTimerId(context),
    isRetryTimer: ({ context, event }) =>
      event.type === "timer.fired" && event.timerId === retryTimerId(context),

    // Answers
    isYes: (facts) => answerIn(facts)?.kind === "yes",
    isNo: (facts) => answerIn(facts)?.kind === "no",
    isText: (facts) => answerIn(facts)?.kind === "text",
    isNoOrText: (facts) => ["no", "text"].includes(answerIn(facts)?.kind ?? ""),
    isYesOrText: isGoOn,
    hasWords: (facts) => {
      const answer = answerIn(facts);
      return answer !== undefined && (answer.kind === "text" || feedbackOf(answer) !== undefined);
    },

    // Opened again
    wasCompleted: ({ context }) => context.reopening?.wasCompleted === true,
    isReopened: ({ context }) => context.reopening !== undefined,
    hasSubtask: ({ context }) => hasSubtask(context),
    goesOnWithSubtask: (facts) => isGoOn(facts) && hasSubtask(facts.context),
    goesOnLater: (facts) => isGoOn(facts) && facts.context.retryAt > facts.event.at,

    // The turn
    isPrepared: ({ context }) => context.prepared !== undefined && callsIn(context, "running").length === 0,
    isReviewed: ({ context }) => callAtCursor(context)?.phase !== "deciding",
    asksCompletion: (facts) => dueAsk(facts) === "completion_result",
    asksCompletionWithQueue: (facts) =>
      dueAsk(facts) === "completion_result" && facts.context.queue.length > 0,
    asksCompletionAfterFailure: (facts) =>
      dueAsk(facts) === "completion_result" &&
      callsIn(facts.context, "settled").some((call) => isOver(call.outcome.kind)),
    asksQuestion: (facts) => dueAsk(facts) === "followup",
    asksApproval: (facts) => dueAsk(facts) !== undefined,
    commandIsShown: ({ context }) => context.ask?.ask === "command_output",
    isCheckpointing: ({ context }) => context.turn.checkpoint === "saving",
    callsArePending: ({ context }) =>
      callAtCursor(context) !== undefined || callsIn(context, "running", "deciding", "approved").length > 0,

    // Limits
    mistakesReached: ({ context: { counters, limits } }) =>
      limits.mistakes > 0 && counters.mistakes >= limits.mistakes,
    budgetReached: ({ context: { counters, limits } }) =>
      counters.requests >= limits.requests || counters.cost >= limits.cost,
    queueHasRoom: ({ context, event }) =>
      event.type === "queue.added" &&
      context.queue.length < context.limits.queued &&
      !queueHas(context, event.item.id),
    isQueued: ({ context, event }) =>
      (event.type === "queue.edited" || event.type === "queue.removed") && queueHas(context, event.id),
  },
});
