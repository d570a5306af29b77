export type {
  Answer,
  AnswerHandling,
  AskCategory,
  AskType,
  IdleAsk,
  InteractiveAsk,
  NonBlockingAsk,
  RequiredAction,
  ResumableAsk,
} from "./asks.ts";
export {
  ASKS,
  answerHandling,
  isAskType,
  isIdleAsk,
  isInteractiveAsk,
  isNonBlockingAsk,
  isResumableAsk,
} from "./asks.ts";
export type { WebviewAction, WebviewButton, WebviewControls } from "./controls.ts";
export { webviewControls } from "./controls.ts";
export type { AgentStateInfo } from "./detect.ts";
export { detectAgentState } from "./detect.ts";
export type {
  ElicitationAnswer,
  ElicitationChoice,
  ElicitationField,
  ElicitationRequest,
  ElicitationSchema,
  ElicitedValue,
} from "./elicitation.ts";
export { choicesOf, elicitationText } from "./elicitation.ts";
export type { EndError, EndErrorCode } from "./end-error.ts";
export { endErrorOf } from "./end-error.ts";
export { parseJson } from "./json.ts";
export type { Log, LogEvent, Messages } from "./log.ts";
export { applyLogEvent, emptyLog, positionOf } from "./log.ts";
export type {
  AskClosing,
  ClineMessage,
  Denial,
  Draft,
  Patch,
  ProgressStatus,
  RecordPlace,
  SayType,
} from "./message.ts";
export { SAYS } from "./message.ts";
export type { CancelReason, RequestEnd, RequestInfo } from "./request.ts";
export {
  closedRequestText,
  isAmount,
  isRequestMessage,
  isRequestOpen,
  newestRequest,
  openRequestText,
  requestInfo,
} from "./request.ts";
export { resultOf } from "./result.ts";
export {
  AGENT_LOOP_STATES,
  AgentLoopState,
  dottedPath,
  hasNoWork,
  isAtRest,
  type StateValue,
  topState,
} from "./states.ts";
export { StateTracker } from "./tracker.ts";
export type { WebviewState } from "./webview.ts";
export { detectWebviewState } from "./webview.ts";
