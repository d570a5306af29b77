export { ControlError } from "./error.ts";
export { bootstrap } from "./metrics/bootstrap.ts";
export { type ControlMetrics, measure } from "./metrics/metrics.ts";
export { rocCurve } from "./metrics/roc.ts";
export type { ControlRun } from "./metrics/run.ts";
export { safetyAt } from "./metrics/safety.ts";
export { thresholdAt } from "./metrics/threshold.ts";
