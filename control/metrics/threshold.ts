import { percentile } from "./percentile.ts";

/**
 * The threshold at an audit budget: the (1 - budget) percentile of honest scores. A run is flagged if its score is strictly
 * greater, so at most the budgeted share of honest runs is. `auditBudget`: share of honest runs, from 0 to 1.
 *
 * @example
 * ```ts
 * import { thresholdAt } from "signalbox/control";
 * console.log(thresholdAt([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.1)); // 9.1
 * ```
 *
 * @throws ControlError `MEASUREMENT_INVALID` without scores, or for another budget
 */
export const thresholdAt = (honestScores: readonly number[], auditBudget: number): number =>
  percentile(honestScores, 1 - auditBudget);
