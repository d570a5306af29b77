import { assertEvent } from "xstate";
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

const ANSWERS = ["ask.answered", "ask.expired"] as const;
const TOOL_WORDS = ["tool.output", "tool.finished", "tool.failed"] as const;

/** The answer, if it names the open ask and is of a kind that the ask takes (L8). */
function answerIn({ context, event }: Facts): Answer | undefined {
  assertEvent(event, ANSWERS);
  const { ask } = context;
  if (ask?.id !== event.askId) return undefined;
  return fitOf(ask.ask, event.answer.kind) === "taken" ? event.answer : undefined;
}

function isAnswer(facts: Facts, ...kinds: readonly Answer["kind"][]): boolean {
  const answer = answerIn(facts);
  return answer !== undefined && kinds.includes(answer.kind);
}

/** The ask by which the call at the cursor is put to a person. A completion waits for the reads before it. */
const dueAsk = ({ context }: Facts) => {
  const call = callAtCursor(context);
  if (call?.phase !== "decided") return undefined;
  const waits = call.ask === "completion_result" && callsIn(context, "running").length > 0;
  return waits ? undefined : call.ask;
};

/** A subtask that is at work, or was when the task was opened. */
const hasSubtask = (context: TaskContext): boolean =>
  callsIn(context, "delegated").some(({ end }) => end === undefined);

const isOver = (kind: string): boolean => kind === "failed" || kind === "invalid";

/** What the machine looks at before it goes a way. None of these reads the log: L1 must not prove itself. */
export const taskGuards = taskSetup.extend({
  guards: {
    // Events of stopped or foreign runs are dropped by these.
    isOpenRequest: ({ context, event }) => "requestId" in event && event.requestId === context.request,
    isNextBlock: ({ context, event }) => {
      assertEvent(event, "llm.tool.start");
      const isKnown = context.turn.calls.some(
        ({ callId, toolUseId }) => callId === event.callId || toolUseId === event.toolUseId,
      );
      return event.requestId === context.request && event.index === context.turn.blocks.length && !isKnown;
    },
    mayRetry: ({ context, event }) => {
      assertEvent(event, "llm.failed");
      return event.requestId === context.request && mayRetry(context, event.failure);
    },
    isUnderReview: ({ context, event }) => {
      assertEvent(event, "call.reviewed");
      return callIn(context, event.callId, "deciding") !== undefined;
    },
    isRunningCall: ({ context, event }) => {
      assertEvent(event, TOOL_WORDS);
      return callIn(context, event.callId, "running") !== undefined;
    },
    isAwaitedCheckpoint: ({ context, event }) => {
      assertEvent(event, ["checkpoint.saved", "checkpoint.skipped"]);
      return callAtCursor(context)?.callId === event.callId;
    },
    isDelegated: ({ context, event }) => {
      assertEvent(event, "subtask.ended");
      return callIn(context, event.callId, "delegated") !== undefined;
    },
    isBackground: ({ context, event }) => {
      assertEvent(event, TOOL_WORDS);
      return context.background.some(({ callId }) => callId === event.callId);
    },
    isReviewTimer: ({ context, event }) => {
      assertEvent(event, "timer.fired");
      return event.timerId === reviewTimerId(context);
    },
    isRetryTimer: ({ context, event }) => {
      assertEvent(event, "timer.fired");
      return event.timerId === retryTimerId(context);
    },

    // Answers
    isYes: (facts) => isAnswer(facts, "yes"),
    isNo: (facts) => isAnswer(facts, "no"),
    isText: (facts) => isAnswer(facts, "text"),
    isNoOrText: (facts) => isAnswer(facts, "no", "text"),
    isYesOrText: (facts) => isAnswer(facts, "yes", "text"),
    hasWords: (facts) => {
      const answer = answerIn(facts);
      return answer !== undefined && (answer.kind === "text" || feedbackOf(answer) !== undefined);
    },

    // Opened again
    wasCompleted: ({ context }) => context.reopening?.wasCompleted === true,
    isReopened: ({ context }) => context.reopening !== undefined,
    hasSubtask: ({ context }) => hasSubtask(context),
    goesOnWithSubtask: (facts) => isAnswer(facts, "yes", "text") && hasSubtask(facts.context),
    goesOnLater: (facts) => isAnswer(facts, "yes", "text") && facts.context.retryAt > facts.event.at,

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
      callAtCursor(context) !== undefined || callsIn(context, "running").length > 0,

    // Limits
    mistakesReached: ({ context: { counters, limits } }) =>
      limits.mistakes > 0 && counters.mistakes >= limits.mistakes,
    budgetReached: ({ context: { counters, limits } }) =>
      counters.requests >= limits.requests || counters.cost >= limits.cost,
    queueHasRoom: ({ context, event }) => {
      assertEvent(event, "queue.added");
      return context.queue.length < context.limits.queued && !queueHas(context, event.item.id);
    },
    isQueued: ({ context, event }) => {
      assertEvent(event, ["queue.edited", "queue.removed"]);
      return queueHas(context, event.id);
    },
  },
});
