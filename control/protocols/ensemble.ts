import type { Member } from "../monitor.ts";
import { defineProtocol, type Protocol } from "../protocol.ts";
import { audit, hasAudit, type MonitoringOptions, NO_AUDITS, pass } from "./audit-budget.ts";

export interface EnsembleOptions extends MonitoringOptions {
  /** The monitors of the ensemble, by their names. Default: a trusted and an untrusted model. */
  readonly members?: Readonly<Record<string, Member>>;
}

const MEMBERS = { trusted: { by: "trusted" }, untrusted: { by: "untrusted" } } as const;

/**
 * Ensemble: several monitors score each call, and a call with a suspicious mean is audited while the budget lasts.
 *
 * While the budget lasts, no call whose mean score is over the threshold runs without an audit. A member that gives no score
 * raises the mean.
 */
export const ensemble = ({ threshold, auditBudget, members = MEMBERS }: EnsembleOptions): Protocol =>
  defineProtocol({
    name: "ensemble",
    monitors: { ensemble: { at: "call", members, combine: "mean", thresholds: [threshold] } },
    state: NO_AUDITS,
    auditBudget,
    judgeCall: (_, scores, state) =>
      scores.ensemble > threshold && hasAudit(state, auditBudget) ? audit(state) : pass(state),
  });
