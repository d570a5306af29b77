export { assertConsistent } from "./consistency.ts";
export { conversationEvents } from "./conversation-events.ts";
export { TemporalError } from "./error.ts";
export type { PolicyEvent } from "./event.ts";
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
  once,
  or,
  previous,
  since,
} from "./formula.ts";
export { type CompiledPolicies, compilePolicies, PolicyMonitor } from "./monitor.ts";
export { type BrokenClause, type Clause, formatBrokenClause, type TemporalPolicy } from "./policy.ts";
export { callBudget, noWriteOutside, SHIPPED_POLICIES, shippedPolicy } from "./shipped.ts";
