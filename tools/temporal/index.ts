export { type CallFacts, callFacts } from "./call-facts.ts";
export { assertConsistent, type ConsistencyLimits } from "./consistency.ts";
export { type ConversationBlock, type ConversationEntry, conversationEvents } from "./conversation-events.ts";
export { TemporalError, type TemporalErrorCode } from "./error.ts";
export {
  type Approver,
  EVENT_KINDS,
  type EventKind,
  type PolicyEvent,
  VARIABLES,
  type Variable,
} from "./event.ts";
export {
  and,
  atMost,
  type EventPattern,
  each,
  event,
  type Formula,
  historically,
  implies,
  not,
  type OneOf,
  once,
  or,
  previous,
  since,
} from "./formula.ts";
export { FormulaSchema } from "./formula-schema.ts";
export { TemporalJudge } from "./judge.ts";
export { type CompiledPolicies, compilePolicies, PolicyMonitor, type TemporalLimits } from "./monitor.ts";
export {
  type BrokenClause,
  type Clause,
  formatBrokenClause,
  type PolicyVerdict,
  type TemporalPolicy,
} from "./policy.ts";
export { PolicyFileSchema, PolicySchema } from "./policy-file.ts";
export { callBudget, noWriteOutside, SHIPPED_NAMES, SHIPPED_POLICIES, shippedPolicy } from "./shipped.ts";
export { type RecordedStep, TaskEvents, type TaskEventsOptions } from "./task-events.ts";
