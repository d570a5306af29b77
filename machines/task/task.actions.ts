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
import { stopCalls } from "./calls.ts";
import { act } from "./change.ts";
import {
  abortCommand,
  continueInBackground,
  growOutput,
  settleBackgroundCommand,
  stopBackgroundCommands,
} from "./command.ts";
import { requestCompaction, requireCompaction } from "./compaction.ts";
import {
  applyFeedback,
  applyQueuedFeedback,
  awaitFeedback,
  blockCompletion,
  continueAfterCompletion,
  deliverToCall,
  offerCompletion,
  offerFinalText,
  reportCompletion,
  selectCompletion,
} from "./completion.ts";
import {
  condense,
  recordCount,
  refuseCompaction,
  showCondensing,
  skipCondensing,
  startCondensing,
} from "./condensing.ts";
import {
  applyGuidance,
  askAboutLimit,
  askAboutMistakes,
  evaluateTurn,
  resetBudget,
  resetRetries,
} from "./counters.ts";
import { applyInput, askForInput, withdrawElicitation } from "./elicitation.ts";
import { continueTurn, settleCall, showProgress } from "./execution.ts";
import {
  applyCallHooks,
  applyRequestHooks,
  applyResultHooks,
  startCallHooks,
  startRequestHooks,
  stopRequestHooks,
} from "./hooks.ts";
import { askToResume, interruptTurn, postTask, reportRest, resume } from "./lifecycle.ts";
import { endRateLimit, postRateLimit, startRateLimitTimer } from "./pacing.ts";
import { changePermissions, switchMode, withdrawApproval } from "./permissions.ts";
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
import {
  addOpaqueBlock,
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
import { resumeSubtask, settleSubtask } from "./subtask.ts";
import { taskGuards } from "./task.guards.ts";
import { applyCheckpoint } from "./turn.ts";

/** The machine's actions by name. Only these make commits. */
export const taskActions = taskGuards.extend({
  actions: {
    // A reopened task
    recover: act(recover),
    resumeRetryDelay: act(resumeRetryDelay),
    resumeSubtask: act(resumeSubtask),
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
    recordCount: act(recordCount),
    showCondensing: act(showCondensing),
    skipCondensing: act(skipCondensing),
    // The response
    applyResponse: act(applyResponse),
    discardResponse: act(discardResponse),
    keepPartialText: act(keepPartialText),
    closePartialMessage: act(closePartialMessage),
    scheduleRetry: act(scheduleRetry),
    fallBack: act(fallBack),
    resetRetries: act(resetRetries),
    evaluateTurn: act(evaluateTurn),
    // The streaming response
    addOpaqueBlock: act(addOpaqueBlock),
    growBlock: act(growBlock),
    endBlock: act(endBlock),
    planCall: act(planCall),
    previewCall: act(previewCall),
    reviewCall: act(reviewCall),
    breakCall: act(breakCall),
    applyReview: act(applyReview),
    timeOutReview: act(timeOutReview),
    // The turn's calls
    continueTurn: act(continueTurn),
    settleCall: act(settleCall),
    showProgress: act(showProgress),
    askAboutCall: act(askAboutCall),
    amendCall: act(amendCall),
    approveCall: act(approveCall),
    rejectCall: act(rejectCall),
    applyAnswer: act(applyAnswer),
    askForInput: act(askForInput),
    applyInput: act(applyInput),
    withdrawElicitation: act(withdrawElicitation),
    growOutput: act(growOutput),
    continueInBackground: act(continueInBackground),
    abortCommand: act(abortCommand),
    settleBackgroundCommand: act(settleBackgroundCommand),
    stopBackgroundCommands: act(stopBackgroundCommands),
    stopCalls: act(stopCalls),
    interruptTurn: act(interruptTurn),
    applyCheckpoint: act(applyCheckpoint),
    settleSubtask: act(settleSubtask),
    // Hooks
    startRequestHooks: act(startRequestHooks),
    stopRequestHooks: act(stopRequestHooks),
    applyRequestHooks: act(applyRequestHooks),
    startCallHooks: act(startCallHooks),
    applyCallHooks: act(applyCallHooks),
    applyResultHooks: act(applyResultHooks),
    // Completion
    offerCompletion: act(offerCompletion),
    offerFinalText: act(offerFinalText),
    blockCompletion: act(blockCompletion),
    applyQueuedFeedback: act(applyQueuedFeedback),
    awaitFeedback: act(awaitFeedback),
    applyFeedback: act(applyFeedback),
    selectCompletion: act(selectCompletion),
    // At rest
    closeAnsweredAsk: act(closeAnsweredAsk),
    stopAsk: act(stopAsk),
    askToResume: act(askToResume),
    resume: act(resume),
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
    // Permissions
    changePermissions: act(changePermissions),
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
