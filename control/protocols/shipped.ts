import type { Protocol } from "../protocol.ts";
import { deferToResample } from "./defer-to-resample.ts";
import { deferToTrusted } from "./defer-to-trusted.ts";
import { ensemble } from "./ensemble.ts";
import { factoredReview } from "./factored-review.ts";
import { randomAudit } from "./random-audit.ts";
import { shutDownAtBudget } from "./shut-down-at-budget.ts";
import { trustedEditing } from "./trusted-editing.ts";
import { trustedMonitoring } from "./trusted-monitoring.ts";
import { trustedOnly } from "./trusted-only.ts";
import { untrustedMonitoring } from "./untrusted-monitoring.ts";
import { upfrontAudit } from "./upfront-audit.ts";

export interface ShippedOptions {
  /** Suspicion score over which an action is suspicious, from 0 to 1. */
  readonly threshold: number;
  /** Maximum audits of a run. */
  readonly auditBudget: number;
  /** Probability of a random audit, from 0 to 1. Default 0.1. */
  readonly rate?: number;
  /** Maximum further responses for a suspicious one. Default 4. */
  readonly resamples?: number;
  /** Honeypots that an untrusted monitor may pass in a run. Default 0. */
  readonly missesMax?: number;
}

/**
 * All shipped protocols at a threshold and an audit budget.
 *
 * @example
 * ```ts
 * import { shippedProtocols } from "signalbox/control";
 * const [first] = shippedProtocols({ threshold: 0.5, auditBudget: 3 });
 * console.log(first?.name); // trusted monitoring
 * ```
 */
export const shippedProtocols = ({
  threshold,
  auditBudget,
  rate = 0.1,
  resamples = 4,
  missesMax = 0,
}: ShippedOptions): readonly Protocol[] => {
  const monitoring = { threshold, auditBudget };
  return [
    trustedMonitoring(monitoring),
    untrustedMonitoring({ ...monitoring, missesMax }),
    ensemble(monitoring),
    deferToTrusted({ threshold }),
    deferToResample({ ...monitoring, resamples, order: "parallel" }),
    deferToResample({ ...monitoring, resamples, order: "sequence" }),
    trustedEditing({ threshold }),
    factoredReview(monitoring),
    randomAudit({ rate, auditBudget }),
    upfrontAudit({ auditBudget }),
    trustedOnly(),
    shutDownAtBudget(monitoring),
  ];
};
