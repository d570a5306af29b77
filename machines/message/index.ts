export type {
  Answer,
  AnswerFit,
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
  fitOf,
  isAskType,
  isIdleAsk,
  isInteractiveAsk,
  isNonBlockingAsk,
  isResumableAsk,
} from "./asks.ts";
export type { WebviewAction, WebviewButton, WebviewControls } from "./controls.ts";
export { webviewControls } from "./controls.ts";
export type { AgentLoopState, AgentStateInfo } from "./detect.ts";
export { detectAgentState } from "./detect.ts";
export type { Log, LogEvent } from "./log.ts";
export { applyLogEvent, emptyLog, positionOf } from "./log.ts";
export type { AskClosing, ClineMessage, Draft, Patch, SayType } from "./message.ts";
export { SAYS } from "./message.ts";
export type { CancelReason, RequestEnd, RequestInfo } from "./request.ts";
export { closedRequestText, isRequestOpen, isRequestRow, openRequestText, requestInfo } from "./request.ts";
export type { Messages } from "./rows.ts";
export { StateTracker } from "./tracker.ts";
export type { WebviewState } from "./webview.ts";
export { detectWebviewState } from "./webview.ts";
