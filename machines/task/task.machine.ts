import { initialContext } from "./lifecycle.ts";
import { onBackgroundSubtask, onSubtaskOfWait } from "./subtask.transitions.ts";
import { taskActions } from "./task.actions.ts";
import { when } from "./transition.ts";
import { onWakeOfIdle, onWakeOfInterrupted, onWakeUpChange } from "./wake.transitions.ts";

/** An answer from a person, or from a policy at the ask's deadline. */
const onAnswer = <const T>(transitions: T) => ({ "ask.answered": transitions, "ask.expired": transitions });
/** The answer to an offered completion. */
const onCompletionAnswer = onAnswer([
  when("hasFeedbackToCall", "#task.running.settling", "closeAnsweredAsk", "applyFeedback"),
  when("hasFeedback", "#task.running.requesting", "closeAnsweredAsk", "continueAfterCompletion"),
  when("isYes", "#task.idle.completed", "awaitFeedback", "reportCompletion"),
  when("isNo", "#task.idle.declined", "awaitFeedback"),
]);
/** Feedback to a completion that was accepted or declined. */
const onFeedback = onAnswer([
  when("isTextToCall", "#task.running.settling", "applyFeedback"),
  when("isText", "#task.running.requesting", "continueAfterCompletion"),
]);
/** Answers to a call as the model sent it. */
const APPROVAL_ANSWERS = [
  when("isPlainYes", "#task.running.settling", "closeAnsweredAsk", "approveCall"),
  when("isNoOrText", "#task.running.requesting", "closeAnsweredAsk", "rejectCall", "evaluateTurn"),
] as const;
/** The condition that completes the task may change only while it is at rest. */
const onSelection = { "completion.selected": { actions: "selectCompletion" } } as const;
/** A cancel, and a journal that can't be written: the task ends its work and can be resumed (L10, L11). */
const onInterruption = <const First extends readonly string[]>(...first: First) => {
  const interruption = {
    target: "#task.resumable",
    actions: [...first, "interruptTurn", "askToResume"],
  } as const;
  return { "task.cancel": interruption, "journal.failed": interruption } as const;
};
/** A person pauses the task: at the end of its turn, or at once while it waits for a time. */
const onPause = { "task.pause": { actions: "askToPause" } } as const;
const onPauseOfWait = { "task.pause": { target: "#task.resumable", actions: "pause" } } as const;
/** A person declines what the task asked at rest. */
const DECLINED = when("isNo", "#task.resumable", "declineAsk", "askToResume");
/** A delta starts a block of text or thinking, or grows the one that has its index. */
const PROSE = [
  { guard: "isNextBlock", actions: "addProseBlock" },
  { guard: "isOpenRequest", actions: "growBlock" },
] as const;
/** The terminal events of a call. */
const onToolEnd = <const T>(transitions: T) => ({ "tool.finished": transitions, "tool.failed": transitions });

/**
 * The lifecycle of one task. The six top-level states are the six values of `detectAgentState`; each is entered in
 * the macrostep that appends the message it is derived from (L1). No state is final: an idle task takes feedback.
 *
 * The machine names its actors and contains none: provide them with `provide({ actors })`.
 */
export const taskMachine = taskActions.createMachine({
  id: "task",
  context: initialContext,
  initial: "no_task",

  on: {
    "call.reviewed": { guard: "isUnderReview", actions: "applyReview" },
    ...onToolEnd([
      { guard: "isRunningCall", actions: "settleCall" },
      { guard: "isBackground", actions: "settleBackgroundCommand" },
    ]),
    "tool.output": [
      { guard: "isRunningCall", actions: "growOutput" },
      { guard: "isBackground", actions: "noteEvent" },
    ],
    "tool.progress": { guard: "isRunningCall", actions: "showProgress" },
    "compact.requested": { guard: "hasConversation", actions: "requestCompaction" },
    "mode.switched": { actions: "switchMode" },
    "profile.selected": { guard: "isProfile", actions: "selectProfile" },
    "permissions.changed": { actions: "changePermissions" },
    "queue.added": { guard: "queueHasRoom", actions: "addToQueue" },
    "queue.edited": { guard: "isQueued", actions: "editQueue" },
    "queue.removed": { guard: "isQueued", actions: "removeFromQueue" },
    ...onWakeUpChange,
    ...onBackgroundSubtask,
  },

  states: {
    no_task: {
      // A task that is opened from its journal settles when it starts.
      always: [
        when("wasCompleted", "#task.idle.reopened", "recover"),
        when("isReopened", "#task.resumable", "recover"),
      ],
      on: { ...onSelection, "task.start": { target: "running", actions: "postTask" } },
    },

    running: {
      initial: "starting",
      on: { ...onInterruption(), ...onPause },
      states: {
        starting: {
          exit: "stopOpening",
          on: { "task.opened": "requesting" },
        },
        requesting: {
          always: [
            when("isShutDown", "#task.idle.failed", "stopCalls", "askAboutShutDown"),
            when("mistakesReached", "#task.idle.mistaken", "stopCalls", "askAboutMistakes"),
            when("budgetReached", "#task.idle.limited", "stopCalls", "askAboutLimit"),
            when("pausesBesideReads", "calling", "showReads"),
            when("isPausing", "#task.resumable", "pause"),
            when("isPaced", "pacing", "postRateLimit"),
            { target: "#task.streaming", actions: "openRequest" },
          ],
        },
        settling: {
          entry: "continueTurn",
          always: [
            when("nextIsHook", "hooking"),
            { guard: "nextIsSettle", target: "settling", reenter: true, actions: "settleByTask" },
            when("nextIsDeliver", "#task.idle.delivering", "offerResult"),
            when("nextIsOffer", "#task.idle.completing", "offerResult"),
            when("nextIsQuestion", "#task.waiting_for_input.answer", "askAboutCall"),
            when("nextIsApproval", "#task.waiting_for_input.approval", "askAboutCall"),
            when("nextIsCommand", "commanding"),
            when("nextIsSubtask", "delegated"),
            when("nextIsRest", "#task.resumable", "restWithSubtasks"),
            when("nextIsCheckpoint", "checkpointing"),
            when("nextIsWait", "calling"),
            { target: "requesting", actions: "evaluateTurn" },
          ],
        },
        calling: {
          on: {
            "call.reviewed": when("isUnderReview", "settling", "applyReview"),
            "result.hooked": when("isEnded", "settling", "applyResultHooks"),
            "tool.elicitation.requested": when(
              "mayElicit",
              "#task.waiting_for_input.elicitation",
              "askForInput",
            ),
            ...onToolEnd([
              when("isRunningCall", "settling", "settleCall"),
              { guard: "isBackground", actions: "settleBackgroundCommand" },
            ]),
          },
        },
        // Hooks decide about the call at the cursor. Nothing runs beside them but background commands.
        hooking: {
          entry: "startCallHooks",
          on: { "call.hooked": when("isHooking", "settling", "applyCallHooks") },
        },
        commanding: {
          on: {
            ...onAnswer([
              when("isYes", "settling", "continueInBackground"),
              when("isNo", "calling", "abortCommand"),
            ]),
            "tool.backgrounded": when("isInForeground", "settling", "startInBackground"),
            ...onToolEnd([
              when("isRunningCall", "settling", "settleCall"),
              { guard: "isBackground", actions: "settleBackgroundCommand" },
            ]),
          },
        },
        checkpointing: {
          exit: "stopCheckpoint",
          on: {
            "checkpoint.saved": when("isAwaitedCheckpoint", "settling", "applyCheckpoint"),
            "checkpoint.skipped": when("isAwaitedCheckpoint", "settling", "applyCheckpoint"),
          },
        },
        delegated: { on: onSubtaskOfWait },
        retrying: {
          entry: "startRetryTimer",
          exit: "stopTimer",
          on: { ...onPauseOfWait, "timer.fired": when("isRetryTimer", "requesting") },
        },
        pacing: {
          entry: "startRateLimitTimer",
          exit: "stopTimer",
          on: { ...onPauseOfWait, "timer.fired": when("isRateLimitTimer", "requesting", "endRateLimit") },
        },
      },
    },

    streaming: {
      initial: "preparing",
      exit: "closeRequest",
      on: { ...onInterruption("closePartialMessage"), ...onPause },
      states: {
        preparing: {
          entry: "startContext",
          exit: "stopContext",
          always: [
            when("isPreparedForHooks", "hooking", "buildConversation"),
            when("isPrepared", "measuring", "buildConversation"),
          ],
          on: {
            "context.ready": { guard: "isOpenRequest", actions: "applyContext" },
            "context.failed": when("isOpenRequest", "#task.idle.failed", "stopCalls", "askAboutFailure"),
          },
        },
        // Before the request is measured: what hooks add to it counts, and a summary is a request as well.
        hooking: {
          entry: "startRequestHooks",
          exit: "stopRequestHooks",
          on: {
            "request.hooked": [
              when("isHookedRequest", "measuring", "applyRequestHooks"),
              when("isOpenRequest", "#task.idle.failed", "askAboutFailure"),
            ],
          },
        },
        measuring: {
          always: [
            when("condenses", "condensing"),
            when("isCompacting", "receiving", "refuseCompaction"),
            { target: "receiving" },
          ],
        },
        condensing: {
          entry: "startCondensing",
          exit: "stopCondensing",
          on: {
            "condense.unneeded": when("isOpenRequest", "receiving", "recordCount"),
            "condense.started": { guard: "isSummaryHidden", actions: "showCondensing" },
            "condense.finished": [
              when("endsWithSummary", "#task.running.requesting", "endInCondensing"),
              when("isUsable", "receiving", "condense"),
              when("isOpenRequest", "receiving", "skipCondensing"),
            ],
            "condense.failed": [
              when("isUnusable", "receiving", "skipCondensing"),
              when("mayRetry", "#task.running.retrying", "closePartialMessage", "scheduleRetry"),
              when("mayReplaceImages", "#task.running.requesting", "closePartialMessage", "replaceImages"),
              when("mayFallBack", "#task.running.requesting", "closePartialMessage", "fallBack"),
              when("isOpenRequest", "#task.idle.failed", "closePartialMessage", "askAboutFailure"),
            ],
          },
        },
        receiving: {
          entry: "startLlm",
          exit: "stopLlm",
          on: {
            // A protocol judges the response before anything of it is shown.
            "response.judged": [
              when("isWithheld", "#task.running.requesting", "withholdResponse"),
              { guard: "isJudgement", actions: "acceptResponse" },
            ],
            "llm.text.delta": PROSE,
            "llm.thinking.delta": PROSE,
            "llm.text.end": { guard: "isOpenRequest", actions: "endBlock" },
            "llm.thinking.end": { guard: "isOpenRequest", actions: "endBlock" },
            "llm.opaque": { guard: "isNextBlock", actions: "addOpaqueBlock" },
            "llm.tool.start": { guard: "isNextBlock", actions: "planCall" },
            "llm.tool.delta": { guard: "isOpenRequest", actions: "previewCall" },
            "llm.tool.end": { guard: "isOpenRequest", actions: "reviewCall" },
            "llm.tool.broken": { guard: "isOpenRequest", actions: "breakCall" },
            "llm.usage": { guard: "isOpenRequest", actions: "recordUsage" },
            "llm.finished": when("isResponse", "answered", "applyResponse"),
            "llm.failed": [
              when("mayRetry", "#task.running.retrying", "discardResponse", "scheduleRetry"),
              when("mayReplaceImages", "#task.running.requesting", "discardResponse", "replaceImages"),
              when("mayFallBack", "#task.running.requesting", "discardResponse", "fallBack"),
              when("mayCondense", "#task.running.requesting", "discardResponse", "requireCompaction"),
              when("isOpenRequest", "#task.idle.failed", "discardResponse", "askAboutFailure"),
            ],
            ...onInterruption("keepPartialText", "discardResponse"),
          },
        },
        answered: {
          always: [when("isReviewed", "#task.running.settling"), { target: "finishing" }],
        },
        finishing: {
          entry: "startReviewTimer",
          exit: "stopTimer",
          always: when("isReviewed", "#task.running.settling"),
          on: { "timer.fired": { guard: "isReviewTimer", actions: "timeOutReview" } },
        },
      },
    },

    waiting_for_input: {
      initial: "approval",
      on: { ...onInterruption(), ...onPause },
      states: {
        approval: {
          on: {
            "mode.switched": {
              target: "#task.running.settling",
              actions: ["switchMode", "withdrawApproval"],
            },
            // A change that only permits more answers no ask: it waits until the ask is closed.
            "permissions.changed": [
              { guard: "onlyPermitsMore", actions: "holdPermissions" },
              {
                target: "#task.running.settling",
                actions: ["changePermissions", "withdrawApproval"],
              },
            ],
            "ask.answered": [
              when("isAmendment", "#task.running.settling", "closeAnsweredAsk", "amendCall"),
              ...APPROVAL_ANSWERS,
            ],
            // A policy's answer amends nothing, and audits nothing.
            "ask.expired": [
              when(
                "expiresAudit",
                "#task.running.requesting",
                "closeAnsweredAsk",
                "rejectCall",
                "evaluateTurn",
              ),
              ...APPROVAL_ANSWERS,
            ],
          },
        },
        answer: { on: onAnswer(when("isText", "#task.running.settling", "closeAnsweredAsk", "applyAnswer")) },
        // A running call waits for a person. Nothing runs beside it but background commands.
        elicitation: {
          on: {
            ...onAnswer(when("isElicited", "#task.running.calling", "applyInput")),
            ...onToolEnd([
              when("isRunningCall", "#task.running.settling", "withdrawElicitation", "settleCall"),
              { guard: "isBackground", actions: "settleBackgroundCommand" },
            ]),
          },
        },
      },
    },

    idle: {
      initial: "completing",
      entry: "reportRest",
      on: {
        ...onSelection,
        ...onWakeOfIdle,
        "task.cancel": { actions: "stopBackground" },
        "journal.failed": when("losesCompletion", "resumable", "interruptTurn", "askToResume"),
      },
      states: {
        completing: {
          on: {
            ...onCompletionAnswer,
            "queue.added": when("deliversAdded", "delivering", "addToQueue"),
          },
        },
        // The result is durable and shown before the next queued message continues the task.
        delivering: {
          entry: "startDeliveryTimer",
          exit: "stopTimer",
          on: {
            ...onCompletionAnswer,
            "timer.fired": [
              when("deliversToCall", "#task.running.settling", "closeAnsweredAsk", "deliverToCall"),
              when("delivers", "#task.running.requesting", "closeAnsweredAsk", "deliverNext"),
              when("isDeliveryTimer", "completing"),
            ],
            "task.cancel": { target: "completing", actions: "stopBackground" },
          },
        },
        completed: {
          exit: "stopAsk",
          on: onFeedback,
        },
        declined: {
          exit: "stopAsk",
          on: onFeedback,
        },
        reopened: {
          on: onAnswer(
            when("isText", "#task.running.requesting", "closeAnsweredAsk", "continueAfterCompletion"),
          ),
        },
        failed: { on: onAnswer([when("isYes", "#task.running.requesting", "retryManually"), DECLINED]) },
        mistaken: {
          on: onAnswer([when("isYesOrText", "#task.running.requesting", "applyGuidance"), DECLINED]),
        },
        limited: { on: onAnswer([when("isYes", "#task.running.requesting", "resetBudget"), DECLINED]) },
      },
    },

    resumable: {
      entry: "reportRest",
      on: {
        ...onSelection,
        ...onWakeOfInterrupted,
        "task.cancel": { actions: "stopBackground" },
        ...onAnswer([
          when("resumesSubtasks", "running.settling", "resume", "resumeSubtasks"),
          when("resumesRetryDelay", "running.retrying", "resume", "resumeRetryDelay"),
          when("isYesOrText", "running.requesting", "resume"),
        ]),
      },
    },
  },
});
