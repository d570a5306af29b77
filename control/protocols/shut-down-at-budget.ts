import { defineProtocol, type Protocol } from "../protocol.ts";
import { audit, hasAudit, type MonitoringOptions, NO_AUDITS, pass } from "./audit-budget.ts";

/**
 * Shut down at the budget: a trusted model scores each call, a suspicious call is audited while the budget lasts, and the
 * first suspicious call after it ends the run.
 *
 * No call over the threshold runs without an audit. Waiting for the end of the budget gains nothing.
 */
export const shutDownAtBudget = ({ threshold, auditBudget }: MonitoringOptions): Protocol =>
  defineProtocol({
    name: "shut down at the budget",
    monitors: { trusted: { by: "trusted", at: "call", thresholds: [threshold] } },
    state: NO_AUDITS,
    auditBudget,
    judgeCall: (_, { trusted }, state) => {
      if (trusted <= threshold) return pass(state);
      if (hasAudit(state, auditBudget)) return audit(state);
      return { verdict: { kind: "shutDown", reason: "The audit budget is used up." }, state };
    },
  });
