import {
  amendCall,
  applyAnswer,
  applyReview,
  approveCall,
  askAboutCall,
  rejectCall,
  reviewCall,
  startReviewTimer,
  timeOutReview,
} from "./approval.ts";
import { closeAnsweredAsk, stopAsk } from "./asks.ts";
import { endBackgroundSubtask, leaveBackgroundSubtask } from "./background-subtasks.ts";
import { stopCalls } from "./calls.ts";
import { act, type Change } from "./change.ts";
import {
  abortCommand,
  continueInBackground,
  growOutput,
  settleBackgroundCommand,
  startInBackground,
} from "./command.ts";
import { requestCompaction, requireCompaction } from "./compaction.ts";
import {
  applyFeedback,
  awaitFeedback,
  continueAfterCompletion,
  deliverToCall,
  offerResult,
  reportCompletion,
  selectCompletion,
} from "./completion.ts";
import {
  condense,
  endInCondensing,
  recordCount,
  refuseCompaction,
  showCondensing,
  skipCondensing,
  startCondensing,
} from "./condensing.ts";
import { acceptResponse, askAboutShutDown, withholdResponse } from "./control.ts";
import { applyGuidance, askAboutLimit, askAboutMistakes, evaluateTurn, resetBudget } from "./counters.ts";
import { applyInput, askForInput, withdrawElicitation } from "./elicitation.ts";
import { settleCall, showProgress } from "./execution.ts";
import {
  applyCallHooks,
  applyRequestHooks,
  applyResultHooks,
  startCallHooks,
  startRequestHooks,
  stopRequestHooks,
} from "./hooks.ts";
import { replaceImages } from "./images.ts";
import { askToResume, interruptTurn, postTask, reportRest, resume, stopBackground } from "./lifecycle.ts";
import { endRateLimit, postRateLimit, startRateLimitTimer } from "./pacing.ts";
import { askToPause, pause, showReads } from "./pause.ts";
import { changePermissions, holdPermissions, switchMode, withdrawApproval } from "./permissions.ts";
import { selectProfile } from "./profile.ts";
import {
  addToQueue,
  declineAsk,
  deliverNext,
  editQueue,
  removeFromQueue,
  startDeliveryTimer,
} from "./queue.ts";
import { recover } from "./recovery.ts";
import {
  applyContext,
  askAboutFailure,
  buildConversation,
  closeRequest,
  fallBack,
  openRequest,
  recordUsage,
  resumeRetryDelay,
  retryManually,
  scheduleRetry,
  startContext,
  startLlm,
  startRetryTimer,
} from "./request.ts";
import { continueTurn, settleByTask, showBlocks } from "./steps.ts";
import {
  addOpaqueBlock,
  addProseBlock,
  applyResponse,
  breakCall,
  closePartialMessage,
  discardResponse,
  endBlock,
  growBlock,
  keepPartialText,
  planCall,
  previewCall,
} from "./stream.ts";
import { leaveSubtask, restWithSubtasks, resumeSubtasks, settleSubtask } from "./subtask.ts";
import { taskGuards } from "./task.guards.ts";
import { applyCheckpoint } from "./turn.ts";
import { clearWakeUps, scheduleWakeUp, wake } from "./wake.ts";

/** Applies what happened to a block or a call, and shows what the turn has now. */
const actAndShow = (write: (change: Change) => void) =>
  act((change) => {
    write(change);
    showBlocks(change);
  });

/** The machine's actions by name. Only these make commits. */
export const taskActions = taskGuards.extend({
  actions: {
    // A reopened task
    recover: act(recover),
    resumeRetryDelay: act(resumeRetryDelay),
    restWithSubtasks: act(restWithSubtasks),
    showReads: act(showReads),
    resumeSubtasks: act(resumeSubtasks),
    continueAfterCompletion: act(continueAfterCompletion),
    // The log and the request
    postTask: act(postTask),
    openRequest: act(openRequest),
    closeRequest: act(closeRequest),
    applyContext: act(applyContext),
    buildConversation: act(buildConversation),
    recordUsage: act(recordUsage),
    postRateLimit: act(postRateLimit),
    endRateLimit: act(endRateLimit),
    // The context window
    requestCompaction: act(requestCompaction),
    requireCompaction: act(requireCompaction),
    refuseCompaction: act(refuseCompaction),
    condense: act(condense),
    replaceImages: act(replaceImages),
    recordCount: act(recordCount),
    showCondensing: act(showCondensing),
    skipCondensing: act(skipCondensing),
    endInCondensing: act(endInCondensing),
    // The response
    applyResponse: actAndShow(applyResponse),
    discardResponse: act(discardResponse),
    keepPartialText: act(keepPartialText),
    closePartialMessage: act(closePartialMessage),
    scheduleRetry: act(scheduleRetry),
    fallBack: act(fallBack),
    evaluateTurn: act(evaluateTurn),
    // The streaming response
    addOpaqueBlock: actAndShow(addOpaqueBlock),
    addProseBlock: actAndShow(addProseBlock),
    growBlock: act(growBlock),
    endBlock: actAndShow(endBlock),
    planCall: actAndShow(planCall),
    previewCall: act(previewCall),
    reviewCall: act(reviewCall),
    breakCall: actAndShow(breakCall),
    applyReview: actAndShow(applyReview),
    timeOutReview: actAndShow(timeOutReview),
    // The turn's calls
    continueTurn: act(continueTurn),
    settleByTask: act(settleByTask),
    settleCall: actAndShow(settleCall),
    showProgress: act(showProgress),
    askAboutCall: act(askAboutCall),
    amendCall: act(amendCall),
    approveCall: act(approveCall),
    rejectCall: actAndShow(rejectCall),
    applyAnswer: act(applyAnswer),
    askForInput: act(askForInput),
    applyInput: act(applyInput),
    withdrawElicitation: act(withdrawElicitation),
    growOutput: act(growOutput),
    continueInBackground: act(continueInBackground),
    startInBackground: act(startInBackground),
    abortCommand: act(abortCommand),
    settleBackgroundCommand: act(settleBackgroundCommand),
    stopBackground: act(stopBackground),
    stopCalls: act(stopCalls),
    interruptTurn: act(interruptTurn),
    applyCheckpoint: act(applyCheckpoint),
    settleSubtask: act(settleSubtask),
    leaveSubtask: act(leaveSubtask),
    endBackgroundSubtask: act(endBackgroundSubtask),
    leaveBackgroundSubtask: act(leaveBackgroundSubtask),
    // Hooks
    startRequestHooks: act(startRequestHooks),
    stopRequestHooks: act(stopRequestHooks),
    applyRequestHooks: act(applyRequestHooks),
    startCallHooks: act(startCallHooks),
    applyCallHooks: actAndShow(applyCallHooks),
    applyResultHooks: actAndShow(applyResultHooks),
    // Control
    acceptResponse: act(acceptResponse),
    withholdResponse: act(withholdResponse),
    askAboutShutDown: act(askAboutShutDown),
    // Completion
    offerResult: act(offerResult),
    awaitFeedback: act(awaitFeedback),
    applyFeedback: act(applyFeedback),
    selectCompletion: act(selectCompletion),
    // At rest
    closeAnsweredAsk: act(closeAnsweredAsk),
    stopAsk: act(stopAsk),
    askToResume: act(askToResume),
    resume: act(resume),
    askToPause: act(askToPause),
    pause: act(pause),
    askAboutFailure: act(askAboutFailure),
    retryManually: act(retryManually),
    askAboutMistakes: act(askAboutMistakes),
    applyGuidance: act(applyGuidance),
    askAboutLimit: act(askAboutLimit),
    resetBudget: act(resetBudget),
    declineAsk: act(declineAsk),
    reportRest: act(reportRest),
    reportCompletion: act(reportCompletion),
    // The queue
    addToQueue: act(addToQueue),
    editQueue: act(editQueue),
    removeFromQueue: act(removeFromQueue),
    deliverNext: act(deliverNext),
    deliverToCall: act(deliverToCall),
    // Wake-ups
    scheduleWakeUp: act(scheduleWakeUp),
    clearWakeUps: act(clearWakeUps),
    wake: act(wake),
    // Permissions
    changePermissions: act(changePermissions),
    holdPermissions: act(holdPermissions),
    switchMode: act(switchMode),
    selectProfile: act(selectProfile),
    withdrawApproval: act(withdrawApproval),
    // Actors
    startContext: act(startContext),
    startCondensing: act(startCondensing),
    startLlm: act(startLlm),
    startReviewTimer: act(startReviewTimer),
    startRetryTimer: act(startRetryTimer),
    startRateLimitTimer: act(startRateLimitTimer),
    startDeliveryTimer: act(startDeliveryTimer),
    stopTimer: act((change) => change.stop("timer", "timer")),
    stopContext: act((change) => change.stop("context", "context")),
    stopCondensing: act((change) => change.stop("condense", "condense")),
    stopCheckpoint: act((change) => change.stop("checkpoint", "checkpoint")),
    stopLlm: act((change) => change.stop("llm", "llm")),
    stopOpening: act((change) => change.stop("opening", "opening")),
    noteEvent: act(() => undefined),
  },
});
