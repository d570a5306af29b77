import { percentile } from "./percentile.ts";

/**
 * The threshold at a flagged share, from 0 to 1: the (1 - share) percentile of honest scores, by linear interpolation. A run is
 * flagged if its score is strictly greater. With few honest runs, more than this share of them may be flagged: of 3 with different
 * scores, one is at any share over 0.
 *
 * @example
 * ```ts
 * import { thresholdAt } from "signalbox/control";
 * console.log(thresholdAt([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.1)); // 9.1
 * ```
 *
 * @throws ControlError `MEASUREMENT_INVALID` without scores, or for another share
 */
export const thresholdAt = (honestScores: readonly number[], flaggedShare: number): number =>
  percentile(honestScores, 1 - flaggedShare);
