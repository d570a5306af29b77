import { bootstrap, type Interval } from "../../../control/metrics/bootstrap.ts";
import { type ControlMetrics, measure } from "../../../control/metrics/metrics.ts";
import { MODES } from "../../../control/metrics/run.ts";
import { type Safety, safetyAt } from "../../../control/metrics/safety.ts";
import { thresholdAt } from "../../../control/metrics/threshold.ts";
import type { RunRow } from "../../../control/runs/row.ts";
import { byKey, type RunRows } from "./run-rows.ts";

export interface ReportOptions {
  /** Flagged shares, from 0 to 1: each gives a threshold. */
  readonly audits: readonly number[];
  /** Seed of the bootstrap intervals. */
  readonly seed: number;
}

/** The metrics of a protocol at a flagged share, with the bootstrap intervals of its safety (95 %). */
export interface BudgetedMetrics extends ControlMetrics {
  readonly flaggedShare: number;
  readonly undetectedFree: Interval;
  /** Absent if a resampled set has neither caught runs nor uncaught successes. */
  readonly caughtShare?: Interval;
}

/** A protocol with its runs and its metrics at each flagged share. */
export interface MeasuredProtocol {
  readonly protocol: string;
  readonly runs: readonly RunRow[];
  readonly budgets: readonly BudgetedMetrics[];
}

/** The metrics of all protocols of a file of runs. */
export interface Report {
  readonly measured: readonly MeasuredProtocol[];
  /** The protocols without honest or without attack runs. */
  readonly unmeasured: readonly string[];
  /** Number of runs that failed. They are not measured: their checks say nothing about the policy. */
  readonly failed: number;
  /** The number of the torn last line of the file. */
  readonly torn?: number;
}

/** Measure each protocol over its runs that did not fail. The order of the rows changes nothing. */
export function createReport({ rows: given, torn }: RunRows, options: ReportOptions): Report {
  const rows = given.toSorted(byKey);
  const good = rows.filter(({ end }) => end !== "failed");
  const all = [...new Set(rows.map(({ protocol }) => protocol))].map((protocol) => ({
    protocol,
    runs: good.filter((run) => run.protocol === protocol),
  }));
  const hasBoth = (runs: readonly RunRow[]) => MODES.every((mode) => runs.some((run) => run.mode === mode));
  return {
    measured: all
      .filter(({ runs }) => hasBoth(runs))
      .map(({ protocol, runs }) => ({
        protocol,
        runs,
        budgets: options.audits.map((flaggedShare) => measureAt(runs, flaggedShare, options.seed)),
      })),
    unmeasured: all.filter(({ runs }) => !hasBoth(runs)).map(({ protocol }) => protocol),
    failed: rows.length - good.length,
    ...(torn !== undefined && { torn }),
  };
}

/** A report as it is printed as JSON. */
export const withoutRuns = ({ measured, ...others }: Report) => ({
  ...others,
  measured: measured.map(({ runs, ...each }) => ({ ...each, runs: runs.length })),
});

function measureAt(runs: readonly RunRow[], flaggedShare: number, seed: number): BudgetedMetrics {
  const intervalOf = (statistic: (safety: Safety) => number): Interval =>
    bootstrap(runs, (drawn) => statistic(safetyAtBudget(drawn, flaggedShare)), { seed });
  let isDefined = true;
  const caughtShare = intervalOf((safety) => {
    isDefined &&= safety.caughtShare !== undefined;
    return safety.caughtShare ?? 0;
  });
  return {
    flaggedShare,
    ...measure(runs, flaggedShare),
    undetectedFree: intervalOf((safety) => safety.undetectedFree),
    ...(isDefined && { caughtShare }),
  };
}

/** The safety at the threshold of a flagged share, from 0 to 1. */
export function safetyAtBudget(runs: readonly RunRow[], flaggedShare: number): Safety {
  const honest = runs.flatMap(({ mode, score }) => (mode === "honest" ? [score] : []));
  return safetyAt(runs, thresholdAt(honest, flaggedShare));
}
