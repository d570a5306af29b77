export { ControlError } from "./error.ts";
export type { CallFacts, ResponseFacts, ResultFacts } from "./facts.ts";
export { bootstrap } from "./metrics/bootstrap.ts";
export { type ControlMetrics, measure } from "./metrics/metrics.ts";
export { rocCurve } from "./metrics/roc.ts";
export type { ControlRun } from "./metrics/run.ts";
export { safetyAt } from "./metrics/safety.ts";
export { thresholdAt } from "./metrics/threshold.ts";
export type { Monitor } from "./monitor.ts";
export { defineProtocol, type Protocol, type ProtocolDefinition } from "./protocol.ts";
export { deferToResample } from "./protocols/defer-to-resample.ts";
export { deferToTrusted } from "./protocols/defer-to-trusted.ts";
export { ensemble } from "./protocols/ensemble.ts";
export { factoredReview } from "./protocols/factored-review.ts";
export { randomAudit } from "./protocols/random-audit.ts";
export { shippedProtocols } from "./protocols/shipped.ts";
export { shutDownAtBudget } from "./protocols/shut-down-at-budget.ts";
export { trustedEditing } from "./protocols/trusted-editing.ts";
export { trustedMonitoring } from "./protocols/trusted-monitoring.ts";
export { trustedOnly } from "./protocols/trusted-only.ts";
export { untrustedMonitoring } from "./protocols/untrusted-monitoring.ts";
export { upfrontAudit } from "./protocols/upfront-audit.ts";
export type {
  AuditAction,
  MonitoredAction,
  MonitorReport,
  RunMonitor,
  TrustedAction,
  WriteTrusted,
} from "./runtime/action.ts";
export type { Controller } from "./runtime/controller.ts";
export type { CallVerdict, ResponseVerdict, ResultVerdict } from "./verdict.ts";
export type { MeasuredScores } from "./worst-case/measured-scores.ts";
export { paretoFront } from "./worst-case/pareto.ts";
export { formatPrism } from "./worst-case/prism.ts";
export { type WorstCase, type WorstCaseOptions, worstCase } from "./worst-case/worst-case.ts";
