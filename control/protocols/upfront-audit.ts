import { defineProtocol, type Protocol } from "../protocol.ts";
import { type AuditBudget, audit, hasAudit, NO_AUDITS, pass } from "./audit-budget.ts";

/**
 * Upfront audit: each call is audited from the first one, while the budget lasts. Without a limit it is the end of the curve
 * with the most audits.
 *
 * The first `auditBudget` calls do not run without an audit. Without a limit none does.
 */
export const upfrontAudit = ({ auditBudget }: AuditBudget = {}): Protocol =>
  defineProtocol({
    name: "upfront audit",
    monitors: {},
    state: NO_AUDITS,
    auditBudget,
    judgeCall: (_, __, state) => (hasAudit(state, auditBudget) ? audit(state) : pass(state)),
  });
