import { begin } from "./begin.ts";
import { taskActions } from "./task.actions.ts";

/** An ask is answered by whoever is asked, or by a policy at its deadline. */
const onAnswer = <const T>(transitions: T) => ({ "ask.answered": transitions, "ask.expired": transitions });
/** A call's one terminal event. */
const onToolEnd = <const T>(transitions: T) => ({ "tool.finished": transitions, "tool.failed": transitions });

/**
 * The life of one task. The six top-level states are the six values of the derivation; each is entered in
 * the macrostep that appends the message that means it (L1). Nothing is final: idle may always take feedback.
 *
 * It names its edge actors and contains none: give it some with `provide({ actors })`.
 */
export const taskMachine = taskActions.createMachine({
  id: "task",
  context: begin,
  initial: "no_task",

  on: {
    "call.reviewed": { guard: "isUnderReview", actions: "takeReview" },
    ...onToolEnd([
      { guard: "isRunningCall", actions: "settleCall" },
      { guard: "isBackground", actions: "endBackground" },
    ]),
    "tool.output": [
      { guard: "isRunningCall", actions: "growOutput" },
      { guard: "isBackground", actions: "note" },
    ],
    "mode.switched": { actions: "switchMode" },
    "queue.added": { guard: "queueHasRoom", actions: "addToQueue" },
    "queue.edited": { guard: "isQueued", actions: "editQueue" },
    "queue.removed": { guard: "isQueued", actions: "removeFromQueue" },
  },

  states: {
    no_task: {
      // A task that is opened from its journal comes to rest as it starts.
      always: [
        { guard: "wasCompleted", target: "#task.idle.reopened", actions: "recover" },
        { guard: "isReopened", target: "#task.resumable", actions: "recover" },
      ],
      on: { "task.start": { target: "running", actions: "postTask" } },
    },

    running: {
      initial: "starting",
      on: {
        "task.cancel": { target: "resumable", actions: ["interrupt", "askToResume"] },
        "journal.failed": { target: "resumable", actions: ["interrupt", "askToResume"] },
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
            { target: "#task.streaming", actions: "openRequest" },
          ],
        },
        settling: {
          entry: "settleNext",
          always: [
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
              actions: "answerCompletionFromQueue",
            },
            { guard: "asksCompletion", target: "#task.idle.completing", actions: "offerCompletion" },
            { guard: "asksQuestion", target: "#task.waiting_for_input.answer", actions: "askAboutCall" },
            { guard: "asksApproval", target: "#task.waiting_for_input.approval", actions: "askAboutCall" },
            { guard: "commandIsShown", target: "commanding" },
            { guard: "hasSubtask", target: "delegated" },
            { guard: "isCheckpointing", target: "checkpointing" },
            { guard: "callsArePending", target: "calling" },
            { target: "requesting", actions: "reflectOnTurn" },
          ],
        },
        calling: {
          on: {
            "call.reviewed": { guard: "isUnderReview", target: "settling", actions: "takeReview" },
            ...onToolEnd([
              { guard: "isRunningCall", target: "settling", actions: "settleCall" },
              { guard: "isBackground", actions: "endBackground" },
            ]),
          },
        },
        commanding: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "settling", actions: "continueBeside" },
              { guard: "isNo", target: "calling", actions: "abortCommand" },
            ]),
            ...onToolEnd([
              { guard: "isRunningCall", target: "settling", actions: "settleCall" },
              { guard: "isBackground", actions: "endBackground" },
            ]),
          },
        },
        checkpointing: {
          exit: "stopCheckpoint",
          on: {
            "checkpoint.saved": {
              guard: "isAwaitedCheckpoint",
              target: "settling",
              actions: "takeCheckpoint",
            },
            "checkpoint.skipped": {
              guard: "isAwaitedCheckpoint",
              target: "settling",
              actions: "takeCheckpoint",
            },
          },
        },
        delegated: {
          on: { "subtask.ended": { guard: "isDelegated", target: "settling", actions: "settleSubtask" } },
        },
        retrying: {
          entry: "awaitRetry",
          exit: "stopTimer",
          on: { "timer.fired": { guard: "isRetryTimer", target: "requesting" } },
        },
      },
    },

    streaming: {
      initial: "preparing",
      exit: "closeRequest",
      on: {
        "task.cancel": { target: "resumable", actions: ["closePartialRow", "interrupt", "askToResume"] },
        "journal.failed": { target: "resumable", actions: ["closePartialRow", "interrupt", "askToResume"] },
      },
      states: {
        preparing: {
          entry: "startContext",
          exit: "stopContext",
          always: { guard: "isPrepared", target: "receiving", actions: "buildHistory" },
          on: {
            "context.ready": { guard: "isOpenRequest", actions: "takeContext" },
            "context.failed": {
              guard: "isOpenRequest",
              target: "#task.idle.failed",
              actions: ["stopCalls", "askAboutFailure"],
            },
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
            "llm.tool.start": { guard: "isNextBlock", actions: "planCall" },
            "llm.tool.delta": { guard: "isOpenRequest", actions: "previewCall" },
            "llm.tool.end": { guard: "isOpenRequest", actions: "reviewCall" },
            "llm.tool.broken": { guard: "isOpenRequest", actions: "breakCall" },
            "llm.usage": { guard: "isOpenRequest", actions: "takeUsage" },
            "llm.finished": { guard: "isOpenRequest", target: "answered", actions: "takeAnswer" },
            "llm.failed": [
              {
                guard: "mayRetry",
                target: "#task.running.retrying",
                actions: ["dropAnswer", "scheduleRetry"],
              },
              {
                guard: "isOpenRequest",
                target: "#task.idle.failed",
                actions: ["dropAnswer", "askAboutFailure"],
              },
            ],
            "task.cancel": {
              target: "#task.resumable",
              actions: ["keepWords", "dropAnswer", "interrupt", "askToResume"],
            },
            "journal.failed": {
              target: "#task.resumable",
              actions: ["keepWords", "dropAnswer", "interrupt", "askToResume"],
            },
          },
        },
        answered: {
          always: [{ guard: "isReviewed", target: "#task.running.settling" }, { target: "finishing" }],
        },
        finishing: {
          entry: "awaitReview",
          exit: "stopTimer",
          always: { guard: "isReviewed", target: "#task.running.settling" },
          on: { "timer.fired": { guard: "isReviewTimer", actions: "giveUpReview" } },
        },
      },
    },

    waiting_for_input: {
      initial: "approval",
      on: {
        "task.cancel": { target: "resumable", actions: ["interrupt", "askToResume"] },
        "journal.failed": { target: "resumable", actions: ["interrupt", "askToResume"] },
      },
      states: {
        approval: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "#task.running.settling", actions: ["closeAsk", "approveCall"] },
              {
                guard: "isNoOrText",
                target: "#task.running.requesting",
                actions: ["closeAsk", "rejectCall"],
              },
            ]),
          },
        },
        answer: {
          on: {
            ...onAnswer({
              guard: "isText",
              target: "#task.running.settling",
              actions: ["closeAsk", "takeReply"],
            }),
          },
        },
      },
    },

    idle: {
      initial: "completing",
      entry: "reportRest",
      on: { "task.cancel": { actions: "endBackgroundCommands" } },
      states: {
        completing: {
          on: {
            ...onAnswer([
              { guard: "hasWords", target: "#task.running.settling", actions: ["closeAsk", "takeFeedback"] },
              { guard: "isYes", target: "completed", actions: ["keepReplyable", "reportCompletion"] },
              { guard: "isNo", target: "declined", actions: "keepReplyable" },
            ]),
          },
        },
        completed: {
          exit: "dropAsk",
          on: onAnswer({ guard: "isText", target: "#task.running.settling", actions: "takeFeedback" }),
        },
        declined: {
          exit: "dropAsk",
          on: onAnswer({ guard: "isText", target: "#task.running.settling", actions: "takeFeedback" }),
        },
        reopened: {
          on: onAnswer({
            guard: "isText",
            target: "#task.running.requesting",
            actions: "takeReopenedFeedback",
          }),
        },
        failed: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "#task.running.requesting", actions: "retryByHand" },
              { guard: "isNo", target: "#task.resumable", actions: ["declineRest", "askToResume"] },
            ]),
          },
        },
        mistaken: {
          on: {
            ...onAnswer([
              { guard: "isYesOrText", target: "#task.running.requesting", actions: "guide" },
              { guard: "isNo", target: "#task.resumable", actions: ["declineRest", "askToResume"] },
            ]),
          },
        },
        limited: {
          on: {
            ...onAnswer([
              { guard: "isYes", target: "#task.running.requesting", actions: "allowMore" },
              { guard: "isNo", target: "#task.resumable", actions: ["declineRest", "askToResume"] },
            ]),
          },
        },
      },
    },

    resumable: {
      entry: "reportRest",
      on: {
        "task.cancel": { actions: "endBackgroundCommands" },
        ...onAnswer([
          {
            guard: "goesOnWithSubtask",
            target: "running.delegated",
            actions: ["resume", "goOnWithSubtask"],
          },
          {
            guard: "goesOnLater",
            target: "running.retrying",
            actions: ["resume", "waitOn"],
          },
          { guard: "isYesOrText", target: "running.requesting", actions: "resume" },
        ]),
      },
    },
  },
});
