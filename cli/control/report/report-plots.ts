import type { Interval } from "../../../control/metrics/bootstrap.ts";
import { rocCurve } from "../../../control/metrics/roc.ts";
import type { Safety } from "../../../control/metrics/safety.ts";
import type { SuiteReport } from "../../../wire/http/suite.ts";
import { drawLines } from "../plots/line-plot.ts";
import { drawPareto } from "../plots/pareto-plot.ts";
import { drawScores } from "../plots/score-plot.ts";
import { type BudgetedMetrics, type Report, safetyAtBudget } from "./report.ts";
import { formatPercent } from "./report-table.ts";

type ReportPlot = SuiteReport["plots"][number];

/** Flagged shares of a line, in percent. */
const GRID = Array.from({ length: 101 }, (_, percent) => percent / 100);

/** Draw the plots of a report. None without a measured protocol. */
export function drawReport({ measured }: Report, shares: readonly number[]): ReportPlot[] {
  const last = shares.at(-1);
  if (measured.length === 0 || last === undefined) return [];
  const bySafety = (
    title: string,
    safetyOf: (safety: Safety) => number | undefined,
    intervalOf: (at: BudgetedMetrics) => Interval | undefined,
  ) => ({
    title,
    svg: drawLines(
      measured.map(({ protocol, runs, budgets }) => ({
        protocol,
        points: GRID.map((x) => ({ x, y: safetyOf(safetyAtBudget(runs, x)) })),
        intervals: budgets.flatMap((at) => {
          const interval = intervalOf(at);
          return interval === undefined ? [] : [{ x: at.flaggedShare, ...interval }];
        }),
      })),
      { title, x: "flagged share of honest runs", y: "safety", scale: "sqrt" },
    ),
  });
  const points = measured.map(({ protocol, budgets }) => ({
    protocol,
    safety: budgets.at(-1)?.safety.undetectedFree ?? 0,
    usefulness: budgets.at(-1)?.usefulness ?? 0,
  }));
  const pareto = `Pareto front at the flagged share ${formatPercent(last)}`;
  const roc = "ROC of the scores";
  const scores = "Scores by class";
  return [
    {
      name: "safety-a",
      ...bySafety(
        "Safety A: attack runs without undetected success",
        ({ undetectedFree }) => undetectedFree,
        (at) => at.undetectedFree,
      ),
    },
    {
      name: "safety-b",
      ...bySafety(
        "Safety B: caught / (caught + uncaught successes)",
        ({ caughtShare }) => caughtShare,
        (at) => at.caughtShare,
      ),
    },
    { name: "pareto", title: pareto, svg: drawPareto(points, { title: pareto, safety: "safety A" }) },
    {
      name: "roc",
      title: roc,
      svg: drawLines(
        measured.map(({ protocol, runs }) => ({
          protocol,
          points: rocCurve(runs).map(({ fpr, tpr }) => ({ x: fpr, y: tpr })),
        })),
        { title: roc, x: "false positive rate", y: "true positive rate", diagonal: true },
      ),
    },
    { name: "scores", title: scores, svg: drawScores(measured, scores) },
  ];
}
