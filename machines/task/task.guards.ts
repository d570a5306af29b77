import { assertEvent } from "xstate";
import { type Answer, answerHandling } from "../message/asks.ts";
import type { CallIdentity } from "../tool-call/call.ts";
import { onlyPermitsMore } from "../tool-call/permissions.ts";
import { reviewTimerId } from "./approval.ts";
import { feedbackOf, receivedAmendment } from "./asks.ts";
import { isInBackground, unendedSubtasks } from "./background-subtasks.ts";
import { spentAmount } from "./budget.ts";
import { UNDER_REVIEW } from "./calls.ts";
import { isForeground } from "./command.ts";
import { requestedCompaction } from "./compaction.ts";
import { condenses, condensingMessage, isUnusable, isUsable, mayCondense } from "./condensing.ts";
import { isAudited, isWithheld } from "./control.ts";
import { elicitedIn } from "./elicitation.ts";
import { mayReplaceImages } from "./images.ts";
import { costReached } from "./limits.ts";
import { isPaced, rateLimitTimerId } from "./pacing.ts";
import { isPausing } from "./pause.ts";
import { hasProfile } from "./profile.ts";
import { deliveryTimerId, queueHas } from "./queue.ts";
import { mayFallBack, mayRetry, retryTimerId } from "./request.ts";
import { nextStep, type Step } from "./schedule.ts";
import type { TaskContext } from "./task.context.ts";
import type { TaskEvent } from "./task.events.ts";
import { taskSetup } from "./task.setup.ts";
import { callIn, callsIn, completesTask, dueCall, isBegun } from "./turn.ts";
import { isDue, mayBeScheduled } from "./wake.ts";

interface GuardArgs {
  readonly context: TaskContext;
  readonly event: TaskEvent;
}

const ANSWERS = ["ask.answered", "ask.expired"] as const;
const FAILURES = ["llm.failed", "condense.failed"] as const;
const SUBTASK_EVENTS = ["subtask.ended", "subtask.unavailable", "subtask.paused"] as const;
const TOOL_EVENTS = ["tool.output", "tool.progress", "tool.finished", "tool.failed"] as const;

/** Whether the running call said that it may ask for input. */
function mayElicit({ context, event }: GuardArgs): boolean {
  assertEvent(event, "tool.elicitation.requested");
  return callIn(context, event.callId, "running")?.review.elicits === true;
}

/** The answer, if it names the open ask and is of a kind that the ask accepts (L8). */
function answerIn({ context, event }: GuardArgs): Answer | undefined {
  assertEvent(event, ANSWERS);
  const { ask } = context;
  if (ask?.id !== event.askId) return undefined;
  return answerHandling(ask.ask, event.answer.kind) === "accepted" ? event.answer : undefined;
}

function isAnswer(args: GuardArgs, ...kinds: readonly Answer["kind"][]): boolean {
  const answer = answerIn(args);
  return answer !== undefined && kinds.includes(answer.kind);
}

/** Text, or text and images with a yes or a no. */
function hasFeedback(args: GuardArgs): boolean {
  const answer = answerIn(args);
  return answer !== undefined && (answer.kind === "text" || feedbackOf(answer) !== undefined);
}

/** Whether the open ask is about a tool call. */
const isOfCall = ({ context }: GuardArgs): boolean => context.ask?.callId !== undefined;

/** Whether the turn does this next. */
const isNext =
  (...kinds: readonly Step["kind"][]) =>
  ({ context }: GuardArgs): boolean =>
    kinds.includes(nextStep(context).kind);

/** Whether the content of a request is complete. */
const isPrepared = (context: TaskContext): boolean =>
  context.prepared !== undefined && callsIn(context, "running").length === 0;

/** Whether the turn waits for subtasks, or did when the process ended: for one that executes a call, or before a completion. */
const hasSubtask = (context: TaskContext): boolean =>
  callsIn(context, "delegated").some(({ end }) => end === undefined) ||
  (unendedSubtasks(context).length > 0 && waitsBesideCalls(context));

/** Whether a call with an order about subtasks, or a completion, has not been executed. */
const waitsBesideCalls = (context: TaskContext): boolean =>
  completesTask(context) || context.turn.calls.some((call) => !isBegun(call));

const hasCall = ({ turn }: TaskContext, call: Pick<CallIdentity, "callId" | "toolUseId">): boolean =>
  turn.calls.some(({ callId, toolUseId }) => callId === call.callId || toolUseId === call.toolUseId);

function queueHasRoom({ context, event }: GuardArgs): boolean {
  assertEvent(event, "queue.added");
  return context.queue.length < context.limits.queued && !queueHas(context, event.item.id);
}

function isDeliveryTimer({ context, event }: GuardArgs): boolean {
  assertEvent(event, "timer.fired");
  return event.timerId === deliveryTimerId(context);
}

/** Whether a request is open, and its response may be shown: a protocol that judges responses has judged it. */
const isOfResponse = ({ request, controlled, turn }: TaskContext, requestId: number): boolean =>
  requestId === request && (turn.judged !== undefined || !controlled.includes("response"));

function isJudgement({ context, event }: GuardArgs): boolean {
  assertEvent(event, "response.judged");
  const { request, control, controlled, turn } = context;
  return (
    event.requestId === request &&
    control !== null &&
    controlled.includes("response") &&
    turn.judged === undefined
  );
}

/** The machine's guards by name. None of them reads the log: L1 must not prove itself. */
export const taskGuards = taskSetup.extend({
  guards: {
    // These ignore events of stopped or foreign actors.
    isOpenRequest: ({ context, event }) => "requestId" in event && event.requestId === context.request,
    isNextBlock: ({ context, event }) => {
      assertEvent(event, ["llm.tool.start", "llm.opaque", "llm.text.delta", "llm.thinking.delta"]);
      const isNext = isOfResponse(context, event.requestId) && event.index === context.turn.blocks.length;
      return isNext && !(event.type === "llm.tool.start" && hasCall(context, event));
    },
    isResponse: ({ context, event }) => {
      assertEvent(event, "llm.finished");
      return isOfResponse(context, event.requestId);
    },
    expiresAudit: (args) => answerIn(args) !== undefined && isAudited(args.context),
    isShutDown: ({ context: { control } }) => control?.shutDown !== undefined,
    isJudgement,
    isWithheld: (args) => isJudgement(args) && isWithheld(args.event),
    mayRetry: ({ context, event }) => {
      assertEvent(event, FAILURES);
      return event.requestId === context.request && mayRetry(context, event.failure);
    },
    mayFallBack: ({ context, event }) => {
      assertEvent(event, FAILURES);
      return event.requestId === context.request && mayFallBack(context, event.failure);
    },
    isUnderReview: ({ context, event }) => {
      assertEvent(event, "call.reviewed");
      return callIn(context, event.callId, ...UNDER_REVIEW) !== undefined;
    },
    isHooking: ({ context, event }) => {
      assertEvent(event, "call.hooked");
      return callIn(context, event.callId, "hooking")?.review.digest === event.digest;
    },
    isEnded: ({ context, event }) => {
      assertEvent(event, "result.hooked");
      return callIn(context, event.callId, "ended") !== undefined;
    },
    isHookedRequest: ({ context, event }) => {
      assertEvent(event, "request.hooked");
      return event.requestId === context.request && event.verdict.kind === "allow";
    },
    isRunningCall: ({ context, event }) => {
      assertEvent(event, TOOL_EVENTS);
      return callIn(context, event.callId, "running") !== undefined;
    },
    isAwaitedCheckpoint: ({ context, event }) => {
      assertEvent(event, ["checkpoint.saved", "checkpoint.skipped"]);
      return dueCall(context)?.callId === event.callId;
    },
    isDelegated: ({ context, event }) => {
      assertEvent(event, SUBTASK_EVENTS);
      const call = callIn(context, event.callId, "delegated");
      return call !== undefined && call.rests === undefined;
    },
    isInBackground: ({ context, event }) => {
      assertEvent(event, SUBTASK_EVENTS);
      return isInBackground(context, event.callId);
    },
    mayElicit,
    isInForeground: ({ context, event }) => {
      assertEvent(event, "tool.backgrounded");
      return isForeground(context, event.callId);
    },
    isBackground: ({ context, event }) => {
      assertEvent(event, TOOL_EVENTS);
      return context.background.some(({ callId }) => callId === event.callId);
    },
    isReviewTimer: ({ context, event }) => {
      assertEvent(event, "timer.fired");
      return event.timerId === reviewTimerId(context);
    },
    isDeliveryTimer,
    delivers: (args) => isDeliveryTimer(args) && args.context.queue.length > 0,
    deliversToCall: (args) => isDeliveryTimer(args) && args.context.queue.length > 0 && isOfCall(args),
    isRetryTimer: ({ context, event }) => {
      assertEvent(event, "timer.fired");
      return event.timerId === retryTimerId(context);
    },

    onlyPermitsMore: ({ context, event }) => {
      assertEvent(event, "permissions.changed");
      return onlyPermitsMore(context.permissions, event);
    },

    // Answers
    isYes: (args) => isAnswer(args, "yes"),
    isAmendment: (args) => isAnswer(args, "yes") && receivedAmendment(args.event) !== undefined,
    isPlainYes: (args) => {
      const answer = answerIn(args);
      return answer?.kind === "yes" && answer.amendment === undefined;
    },
    isNo: (args) => isAnswer(args, "no"),
    isText: (args) => isAnswer(args, "text"),
    isNoOrText: (args) => isAnswer(args, "no", "text"),
    isElicited: (args) => isAnswer(args, "text") && elicitedIn(args.event) !== undefined,
    isYesOrText: (args) => isAnswer(args, "yes", "text"),
    hasFeedbackToCall: (args) => isOfCall(args) && hasFeedback(args),
    isTextToCall: (args) => isOfCall(args) && isAnswer(args, "text"),
    hasFeedback,

    // A reopened task
    wasCompleted: ({ context }) => context.reopening?.wasCompleted === true,
    isReopened: ({ context }) => context.reopening !== undefined,
    resumesSubtasks: (args) => isAnswer(args, "yes", "text") && hasSubtask(args.context),
    resumesRetryDelay: (args) => isAnswer(args, "yes", "text") && args.context.retryAt > args.event.at,

    // Wake-ups
    mayBeScheduled: ({ context, event }) => mayBeScheduled(context, event),
    hasWakeUp: ({ context, event }) => {
      assertEvent(event, "wake.cleared");
      return context.wakeUps.some(({ id }) => event.id === undefined || id === event.id);
    },
    isDue: ({ context, event }) => isDue(context, event),
    wakesCompletion: (args) => isOfCall(args) && isDue(args.context, args.event),
    wakesSubtask: ({ context, event }) => hasSubtask(context) && isDue(context, event),
    wakesRetryDelay: ({ context, event }) => isDue(context, event) && context.retryAt > event.at,

    // The turn
    isPrepared: ({ context }) => isPrepared(context),
    isPreparedForHooks: ({ context }) => context.hooks.includes("beforeRequest") && isPrepared(context),
    isReviewed: ({ context }) => dueCall(context)?.phase !== "deciding",
    nextIsHook: isNext("hook"),
    nextIsSettle: isNext("settle"),
    nextIsOffer: isNext("offer"),
    nextIsDeliver: isNext("deliver"),
    nextIsQuestion: isNext("question"),
    nextIsApproval: isNext("approval"),
    nextIsCommand: isNext("command"),
    nextIsSubtask: isNext("subtask"),
    nextIsRest: isNext("rest"),
    nextIsCheckpoint: isNext("checkpoint"),
    nextIsWait: isNext("wait", "pass"),

    // The context window
    condenses: ({ context }) => condenses(context),
    isCompacting: ({ context }) => requestedCompaction(context) !== undefined,
    mayCondense: ({ context, event }) => {
      assertEvent(event, "llm.failed");
      return event.requestId === context.request && mayCondense(context, event.failure);
    },
    mayReplaceImages: ({ context, event }) => {
      assertEvent(event, FAILURES);
      return event.requestId === context.request && mayReplaceImages(context, event.failure);
    },
    isSummaryHidden: ({ context, event }) => {
      assertEvent(event, "condense.started");
      return event.requestId === context.request && condensingMessage(context) === undefined;
    },
    isUsable: ({ context, event }) => {
      assertEvent(event, "condense.finished");
      return event.requestId === context.request && isUsable(context, event);
    },
    endsWithSummary: ({ context, event }) => {
      assertEvent(event, "condense.finished");
      return event.requestId === context.request && event.control?.shutDown !== undefined;
    },
    isUnusable: ({ context, event }) => {
      assertEvent(event, "condense.failed");
      return event.requestId === context.request && isUnusable(event.failure);
    },
    isProfile: ({ context, event }) => {
      assertEvent(event, "profile.selected");
      return hasProfile(context.profiles, event.name);
    },
    losesCompletion: ({ context, event }) => {
      assertEvent(event, "journal.failed");
      return event.unwritten === "completion" && context.ask?.ask === "completion_result";
    },
    hasConversation: ({ context }) => context.conversation.length > 0,

    // Limits
    mistakesReached: ({ context: { counters, limits } }) =>
      limits.mistakes > 0 && counters.mistakes >= limits.mistakes,
    budgetReached: ({ context: { budget, counters, limits } }) =>
      counters.requests >= limits.requests ||
      costReached(counters.cost, limits) ||
      spentAmount(budget) !== undefined,
    isPausing: ({ context }) => isPausing(context),
    // A person rejected a call of the turn, and its reads run on.
    pausesBesideReads: ({ context }) => isPausing(context) && callsIn(context, "running", "ended").length > 0,
    isPaced: ({ context, event }) => isPaced(context, event.at),
    isRateLimitTimer: ({ context, event }) => {
      assertEvent(event, "timer.fired");
      return event.timerId === rateLimitTimerId(context);
    },
    queueHasRoom,
    mayEndWait: (args) => queueHasRoom(args) && callsIn(args.context, "delegated").length === 0,
    deliversAdded: (args) => args.context.queueDelivery === "one" && queueHasRoom(args),
    isQueued: ({ context, event }) => {
      assertEvent(event, ["queue.edited", "queue.removed"]);
      return queueHas(context, event.id);
    },
  },
});
