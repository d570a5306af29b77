import { act } from "./act.ts";
import { breakCall, endBlock, growBlock, planCall, previewCall, reviewCall, takeReview } from "./answer.ts";
import { dropAsk } from "./asks.ts";
import { closePartialRow, dropAnswer, keepWords } from "./break-off.ts";
import { interruptCalls } from "./calls.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import { abortCommand, continueBeside, endBackground, endBackgroundCommands, growOutput } from "./command.ts";
import {
  answerCompletionFromQueue,
  blockCompletion,
  keepReplyable,
  offerCompletion,
  takeFeedback,
} from "./completion.ts";
import { approveCall, askAboutCall, closeAnswered, rejectCall, takeReply } from "./decide.ts";
import { giveUpReview, reflectOnTurn, takeAnswer, takeUsage } from "./finish.ts";
import { buildHistory, startContext, startLlm, takeContext } from "./history.ts";
import { addToQueue, editQueue, removeFromQueue } from "./queue.ts";
import { recover } from "./recover.ts";
import { closeRequest, openRequest } from "./request.ts";
import {
  allowMore,
  askAboutFailure,
  askAboutLimit,
  askAboutMistakes,
  askToResume,
  declineRest,
  guide,
  interrupt,
  postTask,
  reportCompletion,
  reportRest,
  resume,
  retryByHand,
  switchMode,
  takeReopenedFeedback,
} from "./rest.ts";
import { forgetRetries, scheduleRetry, waitOn } from "./retry.ts";
import { settleCall, settleNext } from "./settle.ts";
import { goOnWithSubtask, settleSubtask } from "./subtask.ts";
import { taskGuards } from "./task.guards.ts";
import { awaitRetry, awaitReview, stopTimer } from "./timers.ts";

/** What the machine does, by name. Each is a short sentence; the pieces of the commit come from these alone. */
export const taskActions = taskGuards.extend({
  actions: {
    // Opened again
    recover: act(recover),
    waitOn: act(waitOn),
    goOnWithSubtask: act(goOnWithSubtask),
    takeReopenedFeedback: act(takeReopenedFeedback),
    // The log and the request
    postTask: act(postTask),
    openRequest: act(openRequest),
    closeRequest: act(closeRequest),
    takeContext: act(takeContext),
    buildHistory: act(buildHistory),
    takeUsage: act(takeUsage),
    takeAnswer: act(takeAnswer),
    dropAnswer: act(dropAnswer),
    keepWords: act(keepWords),
    closePartialRow: act(closePartialRow),
    scheduleRetry: act(scheduleRetry),
    forgetRetries: act(forgetRetries),
    reflectOnTurn: act(reflectOnTurn),
    // The answer as it streams
    growBlock: act(growBlock),
    endBlock: act(endBlock),
    planCall: act(planCall),
    previewCall: act(previewCall),
    reviewCall: act(reviewCall),
    breakCall: act(breakCall),
    takeReview: act(takeReview),
    giveUpReview: act(giveUpReview),
    // The turn's calls
    settleNext: act(settleNext),
    settleCall: act(settleCall),
    askAboutCall: act(askAboutCall),
    approveCall: act(approveCall),
    rejectCall: act(rejectCall),
    takeReply: act(takeReply),
    growOutput: act(growOutput),
    continueBeside: act(continueBeside),
    abortCommand: act(abortCommand),
    endBackground: act(endBackground),
    endBackgroundCommands: act(endBackgroundCommands),
    stopCalls: act(interruptCalls),
    interrupt: act(interrupt),
    takeCheckpoint: act(takeCheckpoint),
    settleSubtask: act(settleSubtask),
    // Completion
    offerCompletion: act(offerCompletion),
    blockCompletion: act(blockCompletion),
    answerCompletionFromQueue: act(answerCompletionFromQueue),
    keepReplyable: act(keepReplyable),
    takeFeedback: act(takeFeedback),
    // Rest
    closeAsk: act(closeAnswered),
    dropAsk: act(dropAsk),
    askToResume: act(askToResume),
    resume: act(resume),
    askAboutFailure: act(askAboutFailure),
    retryByHand: act(retryByHand),
    askAboutMistakes: act(askAboutMistakes),
    guide: act(guide),
    askAboutLimit: act(askAboutLimit),
    allowMore: act(allowMore),
    declineRest: act(declineRest),
    reportRest: act(reportRest),
    reportCompletion: act(reportCompletion),
    // The queue
    addToQueue: act(addToQueue),
    editQueue: act(editQueue),
    removeFromQueue: act(removeFromQueue),
    switchMode: act(switchMode),
    // The edge
    startContext: act(startContext),
    startLlm: act(startLlm),
    awaitReview: act(awaitReview),
    awaitRetry: act(awaitRetry),
    stopTimer: act(stopTimer),
    stopContext: act((change) => change.stop("context", "context")),
    stopCheckpoint: act((change) => change.stop("checkpoint", "checkpoint")),
    stopLlm: act((change) => change.stop("llm", "llm")),
    stopOpening: act((change) => change.stop("opening", "opening")),
    note: act(() => undefined),
  },
});
