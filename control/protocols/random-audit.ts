import { defineProtocol, type Protocol } from "../protocol.ts";
import { type AuditBudget, audit, hasAudit, NO_AUDITS, pass } from "./audit-budget.ts";

export interface RandomAuditOptions extends AuditBudget {
  /** Probability that a call is audited, from 0 to 1. */
  readonly rate: number;
}

/**
 * Random audit: each call is audited with the same probability while the budget lasts.
 *
 * While the budget lasts, a single attack runs without an audit with probability 1 - `rate`, whatever it looks like.
 */
export const randomAudit = ({ rate, auditBudget }: RandomAuditOptions): Protocol =>
  defineProtocol({
    name: "random audit",
    monitors: {},
    chances: [rate],
    state: NO_AUDITS,
    auditBudget,
    judgeCall: ({ chance }, _, state) =>
      chance < rate && hasAudit(state, auditBudget) ? audit(state) : pass(state),
  });
