import { percentile } from "./percentile.ts";

/**
 * The threshold at a flagged share: the (1 - share) percentile of honest scores. A run is flagged if its score is strictly
 * greater, so at most this share of honest runs is. `flaggedShare`: share of honest runs that may be flagged, from 0 to 1.
 *
 * @example
 * ```ts
 * import { thresholdAt } from "signalbox/control";
 * console.log(thresholdAt([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.1)); // 9.1
 * ```
 *
 * @throws ControlError `MEASUREMENT_INVALID` without scores, or for another budget
 */
export const thresholdAt = (honestScores: readonly number[], flaggedShare: number): number =>
  percentile(honestScores, 1 - flaggedShare);
