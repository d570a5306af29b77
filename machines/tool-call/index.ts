export { callMachine, nextCall } from "./call.machine.ts";
export {
  CALL_TABLE,
  type CallAfter,
  type CallTaking,
  type ToolCallEvent,
  type ToolCallEventOf,
  type ToolCallEventType,
} from "./call.table.ts";
export type {
  Amendment,
  Approval,
  Arguments,
  CallAsk,
  CallFacts,
  CallIdentity,
  CallIn,
  CallPath,
  Decision,
  Edit,
  Effect,
  Feedback,
  Hooked,
  Input,
  Notice,
  Objection,
  Outcome,
  Phase,
  Proposal,
  RecordedCall,
  Review,
  StartFacts,
  StartJudgement,
  SubtaskOutcome,
  ToolCall,
  ValidReview,
  Verdict,
} from "./call.ts";
export { imageBlocks, withFeedback } from "./feedback.ts";
export {
  type FileHash,
  type FileWrite,
  type GitHead,
  type LineChange,
  type LineRange,
  lineStats,
} from "./file-write.ts";
export { type Grant, largerOf, putBack, shareOf, spend } from "./grant.ts";
export type { HookPoint, HookText, HookVerdict } from "./hooks.ts";
export { type IntentFinding, selectedIntent, type TaskIntent } from "./intent.ts";
export {
  chosenPermissions,
  onlyPermitsMore,
  PERMISSION_MODES,
  type PermissionLevel,
  type PermissionMode,
  type PermissionState,
  type SessionRule,
} from "./permissions.ts";
export { identityOf, settledCall, toRecordedCall } from "./phases.ts";
