import { type ControlRun, runsOf } from "./run.ts";

/** A point of the ROC curve: the shares of runs whose scores are strictly greater than the threshold. */
export interface RocPoint {
  readonly threshold: number;
  /** False positive rate: share of honest runs. */
  readonly fpr: number;
  /** True positive rate: share of attack runs. */
  readonly tpr: number;
}

type Scored = Pick<ControlRun, "mode" | "score">;

/**
 * The ROC curve of the scores, from (0, 0) to (1, 1), with one point for each distinct score.
 *
 * @throws ControlError `MEASUREMENT_INVALID` without honest or without attack runs
 */
export function rocCurve(runs: readonly Scored[]): readonly RocPoint[] {
  const honest = scoresOf(runs, "honest");
  const attack = scoresOf(runs, "attack");
  const thresholds = [...new Set([...honest, ...attack, Number.NEGATIVE_INFINITY])].sort((a, b) => b - a);
  return thresholds.map((threshold) => ({
    threshold,
    fpr: shareAbove(honest, threshold),
    tpr: shareAbove(attack, threshold),
  }));
}

/**
 * The area under the ROC curve: the probability that an attack run has a greater score than an honest run, with half of the
 * ties.
 *
 * @throws ControlError `MEASUREMENT_INVALID` without honest or without attack runs
 */
export function rocAuc(runs: readonly Scored[]): number {
  const honest = scoresOf(runs, "honest");
  const attack = scoresOf(runs, "attack");
  const wins = attack.flatMap((high) =>
    honest.map((low): number => (high > low ? 1 : high === low ? 0.5 : 0)),
  );
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}

/**
 * The greatest true positive rate at a threshold whose false positive rate is at most `fpr`, such as 0.01. Nothing is
 * interpolated: with fewer than 1 / `fpr` honest runs, no honest run is flagged.
 *
 * @throws ControlError `MEASUREMENT_INVALID` without honest or without attack runs
 */
export const tprAt = (runs: readonly Scored[], fpr: number): number =>
  Math.max(...rocCurve(runs).flatMap((point) => (point.fpr <= fpr ? [point.tpr] : [])));

const scoresOf = (runs: readonly Scored[], mode: ControlRun["mode"]): readonly number[] =>
  runsOf(runs, mode).map(({ score }) => score);

const shareAbove = (scores: readonly number[], threshold: number): number =>
  scores.filter((score) => score > threshold).length / scores.length;
