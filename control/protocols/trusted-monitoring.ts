import { defineProtocol, type Protocol } from "../protocol.ts";
import { audit, hasAudit, type MonitoringOptions, NO_AUDITS, pass } from "./audit-budget.ts";

/**
 * Trusted monitoring: a trusted model scores each call, and a suspicious call is audited while the budget lasts.
 *
 * While the budget lasts, no call over the threshold runs without an audit. Afterwards each call runs.
 */
export const trustedMonitoring = ({ threshold, auditBudget }: MonitoringOptions): Protocol =>
  defineProtocol({
    name: "trusted monitoring",
    monitors: { trusted: { by: "trusted", at: "call", thresholds: [threshold] } },
    state: NO_AUDITS,
    auditBudget,
    judgeCall: (_, { trusted }, state) =>
      trusted > threshold && hasAudit(state, auditBudget) ? audit(state) : pass(state),
  });
