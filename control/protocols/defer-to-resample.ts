import { defineProtocol, type Protocol } from "../protocol.ts";
import { type AuditBudget, audit, hasAudit, NO_AUDITS, pass } from "./audit-budget.ts";
import type { DeferOptions } from "./defer-to-trusted.ts";

export interface ResampleOptions extends DeferOptions, AuditBudget {
  /** Maximum further responses for a suspicious one. Default 4. */
  readonly resamples?: number;
  /** Whether all further responses are sampled at once, or one after another until one is not suspicious. Default `parallel`. */
  readonly order?: "parallel" | "sequence";
  /** Score over which the greatest score of the samples is audited. Default: `threshold`. */
  readonly auditThreshold?: number;
}

/**
 * Defer to resample, with an audit on the maximum: a suspicious response is sampled again, the least suspicious sample runs,
 * and the greatest score of all samples decides about the audit.
 *
 * While the budget lasts, nothing runs of a response with a sample over `auditThreshold` without an audit of all samples: a
 * retry hides no attack.
 */
export const deferToResample = ({
  threshold,
  auditBudget,
  resamples = 4,
  order = "parallel",
  auditThreshold = threshold,
}: ResampleOptions): Protocol => {
  const k = order === "parallel" ? resamples : 1;
  return defineProtocol({
    name: `defer to resample in ${order}`,
    monitors: { trusted: { by: "trusted", at: "response", thresholds: [threshold, auditThreshold] } },
    state: NO_AUDITS,
    auditBudget,
    judgeResponse: ({ samples }, { trusted }, state) => {
      if (trusted > threshold && samples.length + k <= resamples + 1)
        return { verdict: { kind: "resample", k, choose: "leastSuspicious" }, state };
      const greatest = Math.max(...samples.map((sample) => sample.trusted));
      return greatest > auditThreshold && hasAudit(state, auditBudget) ? audit(state) : pass(state);
    },
  });
};
