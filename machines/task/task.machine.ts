import { initialContext } from "./lifecycle.ts";
import { taskActions } from "./task.actions.ts";

/** An answer from a person, or from a policy at the ask's deadline. */
const onAnswer = <const T>(transitions: T) => ({ "ask.answered": transitions, "ask.expired": transitions });
/** The answer to an offered completion. */
const onCompletionAnswer = onAnswer([
  {
    guard: "hasFeedbackToCall",
    target: "#task.running.settling",
    actions: ["closeAnsweredAsk", "applyFeedback"],
  },
  {
    guard: "hasFeedback",
    target: "#task.running.requesting",
    actions: ["closeAnsweredAsk", "continueAfterCompletion"],
  },
  { guard: "isYes", target: "#task.idle.completed", actions: ["awaitFeedback", "reportCompletion"] },
  { guard: "isNo", target: "#task.idle.declined", actions: "awaitFeedback" },
]);
/** Feedback to a completion that was accepted or declined. */
const onFeedback = onAnswer([
  { guard: "isTextToCall", target: "#task.running.settling", actions: "applyFeedback" },
  { guard: "isText", target: "#task.running.requesting", actions: "continueAfterCompletion" },
]);
/** Answers to a call as the model sent it. */
const APPROVAL_ANSWERS = [
  {
    guard: "isPlainYes",
    target: "#task.running.settling",
    actions: ["closeAnsweredAsk", "approveCall"],
  },
  {
    guard: "isNoOrText",
    target: "#task.running.requesting",
    actions: ["closeAnsweredAsk", "rejectCall"],
  },
] as const;
/** What completes the task may change only while it is at rest. */
const onSelection = { "completion.selected": { actions: "selectCompletion" } } as const;
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
  },

  states: {
    no_task: {
      // A task that is opened from its journal settles when it starts.
      always: [
        { guard: "wasCompleted", target: "#task.idle.reopened", actions: "recover" },
        { guard: "isReopened", target: "#task.resumable", actions: "recover" },
      ],
      on: { ...onSelection, "task.start": { target: "running", actions: "postTask" } },
    },

    running: {
      initial: "starting",
      on: {
        "task.cancel": { target: "resumable", actions: ["interruptTurn", "askToResume"] },
        "journal.failed": { target: "resumable", actions: ["interruptTurn", "askToResume"] },
      },
      states: {
        starting: {
          exit: "stopOpening",
          on: { "task.opened": "requesting" },
        },
        requesting: {
          always: [
            {
              guard: "mistakesReached",
              target: "#task.idle.mistaken",
              actions: ["stopCalls", "askAboutMistakes"],
            },
            { guard: "budgetReached", target: "#task.idle.limited", actions: ["stopCalls", "askAboutLimit"] },
            { guard: "isPaced", target: "pacing", actions: "postRateLimit" },
            { target: "#task.streaming", actions: "openRequest" },
          ],
        },
        settling: {
          entry: "continueTurn",
          always: [
            { guard: "needsHooks", target: "hooking" },
            {
              guard: "asksCompletionAfterFailure",
              target: "settling",
              reenter: true,
              actions: "blockCompletion",
            },
            {
              guard: "asksCompletionWithQueue",
              target: "settling",
              reenter: true,
              actions: "applyQueuedFeedback",
            },
            {
              guard: "asksCompletionBeforeDelivery",
              target: "#task.idle.delivering",
              actions: "offerCompletion",
            },
            { guard: "asksCompletion", target: "#task.idle.completing", actions: "offerCompletion" },
            { guard: "asksQuestion", target: "#task.waiting_for_input.answer", actions: "askAboutCall" },
            { guard: "asksApproval", target: "#task.waiting_for_input.approval", actions: "askAboutCall" },
            { guard: "commandIsShown", target: "commanding" },
            { guard: "hasSubtask", target: "delegated" },
            { guard: "isCheckpointing", target: "checkpointing" },
            { guard: "callsArePending", target: "calling" },
            {
              guard: "completesTaskBeforeDelivery",
              target: "#task.idle.delivering",
              actions: "offerFinalText",
            },
            { guard: "completesTask", target: "#task.idle.completing", actions: "offerFinalText" },
            { target: "requesting", actions: "evaluateTurn" },
          ],
        },
        calling: {
          on: {
            "call.reviewed": { guard: "isUnderReview", target: "settling", actions: "applyReview" },
            "result.hooked": { guard: "isEnded", target: "settling", actions: "applyResultHooks" },
            "tool.elicitation.requested": {
              guard: "mayElicit",
              target: "#task.waiting_for_input.elicitation",
              actions: "askForInput",
            },
            ...onToolEnd([
              { guard: "isRunningCall", target: "settling", actions: "settleCall" },
              { guard: "isBackground", actions: "settleBackgroundCommand" },
            ]),
          },
        },
        // Hooks decide about the call at the cursor. Nothing runs beside them but background commands.
        hooking: {
          entry: "startCallHooks",
          on: { "call.hooked": { guard: "isHooking", target: "settling", actions: "applyCallHooks" } },
        },
        commanding: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "settling", actions: "continueInBackground" },
              { guard: "isNo", target: "calling", actions: "abortCommand" },
            ]),
            ...onToolEnd([
              { guard: "isRunningCall", target: "settling", actions: "settleCall" },
              { guard: "isBackground", actions: "settleBackgroundCommand" },
            ]),
          },
        },
        checkpointing: {
          exit: "stopCheckpoint",
          on: {
            "checkpoint.saved": {
              guard: "isAwaitedCheckpoint",
              target: "settling",
              actions: "applyCheckpoint",
            },
            "checkpoint.skipped": {
              guard: "isAwaitedCheckpoint",
              target: "settling",
              actions: "applyCheckpoint",
            },
          },
        },
        delegated: {
          on: { "subtask.ended": { guard: "isDelegated", target: "settling", actions: "settleSubtask" } },
        },
        retrying: {
          entry: "startRetryTimer",
          exit: "stopTimer",
          on: { "timer.fired": { guard: "isRetryTimer", target: "requesting" } },
        },
        pacing: {
          entry: "startRateLimitTimer",
          exit: "stopTimer",
          on: {
            "timer.fired": { guard: "isRateLimitTimer", target: "requesting", actions: "endRateLimit" },
          },
        },
      },
    },

    streaming: {
      initial: "preparing",
      exit: "closeRequest",
      on: {
        "task.cancel": {
          target: "resumable",
          actions: ["closePartialMessage", "interruptTurn", "askToResume"],
        },
        "journal.failed": {
          target: "resumable",
          actions: ["closePartialMessage", "interruptTurn", "askToResume"],
        },
      },
      states: {
        preparing: {
          entry: "startContext",
          exit: "stopContext",
          always: [
            { guard: "isPreparedForHooks", target: "hooking", actions: "buildConversation" },
            { guard: "isPrepared", target: "measuring", actions: "buildConversation" },
          ],
          on: {
            "context.ready": { guard: "isOpenRequest", actions: "applyContext" },
            "context.failed": {
              guard: "isOpenRequest",
              target: "#task.idle.failed",
              actions: ["stopCalls", "askAboutFailure"],
            },
          },
        },
        // Before the request is measured: what hooks add to it counts, and a summary is a request, too.
        hooking: {
          entry: "startRequestHooks",
          exit: "stopRequestHooks",
          on: {
            "request.hooked": [
              { guard: "isHookedRequest", target: "measuring", actions: "applyRequestHooks" },
              { guard: "isOpenRequest", target: "#task.idle.failed", actions: "askAboutFailure" },
            ],
          },
        },
        measuring: {
          always: [
            { guard: "condenses", target: "condensing" },
            { guard: "isCompacting", target: "receiving", actions: "refuseCompaction" },
            { target: "receiving" },
          ],
        },
        condensing: {
          entry: "startCondensing",
          exit: "stopCondensing",
          on: {
            "condense.unneeded": { guard: "isOpenRequest", target: "receiving", actions: "recordCount" },
            "condense.started": { guard: "isSummaryHidden", actions: "showCondensing" },
            "condense.finished": [
              { guard: "isShorter", target: "receiving", actions: "condense" },
              { guard: "isOpenRequest", target: "receiving", actions: "skipCondensing" },
            ],
            "condense.failed": [
              { guard: "isUnusable", target: "receiving", actions: "skipCondensing" },
              {
                guard: "mayRetry",
                target: "#task.running.retrying",
                actions: ["closePartialMessage", "scheduleRetry"],
              },
              {
                guard: "mayFallBack",
                target: "#task.running.requesting",
                actions: ["closePartialMessage", "fallBack"],
              },
              {
                guard: "isOpenRequest",
                target: "#task.idle.failed",
                actions: ["closePartialMessage", "askAboutFailure"],
              },
            ],
          },
        },
        receiving: {
          entry: "startLlm",
          exit: "stopLlm",
          on: {
            "llm.text.delta": { guard: "isOpenRequest", actions: "growBlock" },
            "llm.thinking.delta": { guard: "isOpenRequest", actions: "growBlock" },
            "llm.text.end": { guard: "isOpenRequest", actions: "endBlock" },
            "llm.thinking.end": { guard: "isOpenRequest", actions: "endBlock" },
            "llm.opaque": { guard: "isNextBlock", actions: "addOpaqueBlock" },
            "llm.tool.start": { guard: "isNextBlock", actions: "planCall" },
            "llm.tool.delta": { guard: "isOpenRequest", actions: "previewCall" },
            "llm.tool.end": { guard: "isOpenRequest", actions: "reviewCall" },
            "llm.tool.broken": { guard: "isOpenRequest", actions: "breakCall" },
            "llm.usage": { guard: "isOpenRequest", actions: "recordUsage" },
            "llm.finished": { guard: "isOpenRequest", target: "answered", actions: "applyResponse" },
            "llm.failed": [
              {
                guard: "mayRetry",
                target: "#task.running.retrying",
                actions: ["discardResponse", "scheduleRetry"],
              },
              {
                guard: "mayFallBack",
                target: "#task.running.requesting",
                actions: ["discardResponse", "fallBack"],
              },
              {
                guard: "mayCondense",
                target: "#task.running.requesting",
                actions: ["discardResponse", "requireCompaction"],
              },
              {
                guard: "isOpenRequest",
                target: "#task.idle.failed",
                actions: ["discardResponse", "askAboutFailure"],
              },
            ],
            "task.cancel": {
              target: "#task.resumable",
              actions: ["keepPartialText", "discardResponse", "interruptTurn", "askToResume"],
            },
            "journal.failed": {
              target: "#task.resumable",
              actions: ["keepPartialText", "discardResponse", "interruptTurn", "askToResume"],
            },
          },
        },
        answered: {
          always: [{ guard: "isReviewed", target: "#task.running.settling" }, { target: "finishing" }],
        },
        finishing: {
          entry: "startReviewTimer",
          exit: "stopTimer",
          always: { guard: "isReviewed", target: "#task.running.settling" },
          on: { "timer.fired": { guard: "isReviewTimer", actions: "timeOutReview" } },
        },
      },
    },

    waiting_for_input: {
      initial: "approval",
      on: {
        "task.cancel": { target: "resumable", actions: ["interruptTurn", "askToResume"] },
        "journal.failed": { target: "resumable", actions: ["interruptTurn", "askToResume"] },
      },
      states: {
        approval: {
          on: {
            "mode.switched": {
              target: "#task.running.settling",
              actions: ["switchMode", "withdrawApproval"],
            },
            "permissions.changed": {
              target: "#task.running.settling",
              actions: ["changePermissions", "withdrawApproval"],
            },
            "ask.answered": [
              {
                guard: "isAmendment",
                target: "#task.running.settling",
                actions: ["closeAnsweredAsk", "amendCall"],
              },
              ...APPROVAL_ANSWERS,
            ],
            // A policy's answer amends nothing.
            "ask.expired": [...APPROVAL_ANSWERS],
          },
        },
        answer: {
          on: {
            ...onAnswer({
              guard: "isText",
              target: "#task.running.settling",
              actions: ["closeAnsweredAsk", "applyAnswer"],
            }),
          },
        },
        // A running call waits for a person. Nothing runs beside it but background commands.
        elicitation: {
          on: {
            ...onAnswer({ guard: "isElicited", target: "#task.running.calling", actions: "applyInput" }),
            ...onToolEnd([
              {
                guard: "isRunningCall",
                target: "#task.running.settling",
                actions: ["withdrawElicitation", "settleCall"],
              },
              { guard: "isBackground", actions: "settleBackgroundCommand" },
            ]),
          },
        },
      },
    },

    idle: {
      initial: "completing",
      entry: "reportRest",
      on: { ...onSelection, "task.cancel": { actions: "stopBackgroundCommands" } },
      states: {
        completing: {
          on: {
            ...onCompletionAnswer,
            "queue.added": { guard: "deliversAdded", target: "delivering", actions: "addToQueue" },
          },
        },
        // The result is durable and shown before the next queued message continues the task.
        delivering: {
          entry: "startDeliveryTimer",
          exit: "stopTimer",
          on: {
            ...onCompletionAnswer,
            "timer.fired": [
              {
                guard: "deliversToCall",
                target: "#task.running.settling",
                actions: ["closeAnsweredAsk", "deliverToCall"],
              },
              {
                guard: "delivers",
                target: "#task.running.requesting",
                actions: ["closeAnsweredAsk", "deliverNext"],
              },
              { guard: "isDeliveryTimer", target: "completing" },
            ],
            "task.cancel": { target: "completing", actions: "stopBackgroundCommands" },
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
          on: onAnswer({
            guard: "isText",
            target: "#task.running.requesting",
            actions: ["closeAnsweredAsk", "continueAfterCompletion"],
          }),
        },
        failed: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "#task.running.requesting", actions: "retryManually" },
              { guard: "isNo", target: "#task.resumable", actions: ["declineAsk", "askToResume"] },
            ]),
          },
        },
        mistaken: {
          on: {
            ...onAnswer([
              { guard: "isYesOrText", target: "#task.running.requesting", actions: "applyGuidance" },
              { guard: "isNo", target: "#task.resumable", actions: ["declineAsk", "askToResume"] },
            ]),
          },
        },
        limited: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "#task.running.requesting", actions: "resetBudget" },
              { guard: "isNo", target: "#task.resumable", actions: ["declineAsk", "askToResume"] },
            ]),
          },
        },
      },
    },

    resumable: {
      entry: "reportRest",
      on: {
        ...onSelection,
        "task.cancel": { actions: "stopBackgroundCommands" },
        ...onAnswer([
          {
            guard: "resumesSubtask",
            target: "running.delegated",
            actions: ["resume", "resumeSubtask"],
          },
          {
            guard: "resumesRetryDelay",
            target: "running.retrying",
            actions: ["resume", "resumeRetryDelay"],
          },
          { guard: "isYesOrText", target: "running.requesting", actions: "resume" },
        ]),
      },
    },
  },
});
