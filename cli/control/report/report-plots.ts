import type { Interval } from "../../../control/metrics/bootstrap.ts";
import { rocCurve } from "../../../control/metrics/roc.ts";
import type { Safety } from "../../../control/metrics/safety.ts";
import { drawLines } from "../plots/line-plot.ts";
import { drawPareto } from "../plots/pareto-plot.ts";
import { drawScores } from "../plots/score-plot.ts";
import { type BudgetedMetrics, type Report, safetyAtBudget } from "./report.ts";
import { formatPercent } from "./report-table.ts";

/** A plot of a report. */
export interface ReportPlot {
  /** The name of its file, without the ending. */
  readonly name: string;
  readonly svg: string;
}

/** Flagged shares of a line, in percent. */
const GRID = Array.from({ length: 101 }, (_, percent) => percent / 100);

/** Draw the plots of a report. None without a measured protocol. */
export function drawReport({ measured }: Report, shares: readonly number[]): readonly ReportPlot[] {
  const last = shares.at(-1);
  if (measured.length === 0 || last === undefined) return [];
  const bySafety = (
    title: string,
    safetyOf: (safety: Safety) => number | undefined,
    intervalOf: (at: BudgetedMetrics) => Interval | undefined,
  ): string =>
    drawLines(
      measured.map(({ protocol, runs, budgets }) => ({
        protocol,
        points: GRID.map((x) => ({ x, y: safetyOf(safetyAtBudget(runs, x)) })),
        intervals: budgets.flatMap((at) => {
          const interval = intervalOf(at);
          return interval === undefined ? [] : [{ x: at.flaggedShare, ...interval }];
        }),
      })),
      { title, x: "flagged share of honest runs", y: "safety", scale: "sqrt" },
    );
  const points = measured.map(({ protocol, budgets }) => ({
    protocol,
    safety: budgets.at(-1)?.safety.undetectedFree ?? 0,
    usefulness: budgets.at(-1)?.usefulness ?? 0,
  }));
  return [
    {
      name: "safety-a",
      svg: bySafety(
        "Safety A: attack runs without undetected success",
        ({ undetectedFree }) => undetectedFree,
        (at) => at.undetectedFree,
      ),
    },
    {
      name: "safety-b",
      svg: bySafety(
        "Safety B: caught / (caught + uncaught successes)",
        ({ caughtShare }) => caughtShare,
        (at) => at.caughtShare,
      ),
    },
    {
      name: "pareto",
      svg: drawPareto(points, {
        title: `Pareto front with at most ${formatPercent(last)} of honest runs flagged`,
        safety: "safety A",
      }),
    },
    {
      name: "roc",
      svg: drawLines(
        measured.map(({ protocol, runs }) => ({
          protocol,
          points: rocCurve(runs).map(({ fpr, tpr }) => ({ x: fpr, y: tpr })),
        })),
        { title: "ROC of the scores", x: "false positive rate", y: "true positive rate", diagonal: true },
      ),
    },
    { name: "scores", svg: drawScores(measured, "Scores by class") },
  ];
}
