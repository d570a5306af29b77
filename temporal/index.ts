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
export { type CompiledPolicies, compilePolicies, PolicyMonitor, type TemporalLimits } from "./monitor.ts";
export {
  type BrokenClause,
  type Clause,
  formatBrokenClause,
  type PolicyVerdict,
  type TemporalPolicy,
} from "./policy.ts";
export { PolicyFileSchema } from "./policy-file.ts";
