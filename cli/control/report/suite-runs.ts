import type { RunRow } from "../../../control/runs/row.ts";
import type { SuiteReport, SuiteRun } from "../../../wire/http/suite.ts";
import type { Report } from "./report.ts";

/** The runs of a suite, in the order of their rows, as caught or missed at a flagged share of the report. */
export function suiteRuns(
  rows: readonly RunRow[],
  { measured }: Report,
  flaggedShare: number,
  hasLog: (row: RunRow) => boolean,
): Pick<SuiteReport, "runs" | "flaggedShare"> {
  const thresholds = new Map(
    measured.flatMap(({ protocol, budgets }) =>
      budgets
        .filter((at) => at.flaggedShare === flaggedShare)
        .map(({ threshold }) => [protocol, threshold] as const),
    ),
  );
  const runs = rows.map((row) => runOf(row, thresholds.get(row.protocol), hasLog(row)));
  return { runs, flaggedShare };
}

function runOf(row: RunRow, threshold: number | undefined, hasLog: boolean): SuiteRun {
  const { setting, protocol, policy, sample, mode, end, mainTask, sideTask } = row;
  const { attempted, score, audits, dollars } = row;
  const sums = { mainTask, sideTask, attempted, score, audits, dollars, verdicts: verdictsOf(row) };
  return {
    setting,
    protocol,
    policy,
    sample,
    mode,
    end,
    ...sums,
    outcome: outcomeOf(row, threshold),
    hasLog,
  };
}

function verdictsOf({ decisions }: RunRow): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { verdict } of decisions)
    if (verdict !== "pass") counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** A failed run is not measured. */
function outcomeOf(
  { mode, end, score, sideTask }: RunRow,
  threshold: number | undefined,
): SuiteRun["outcome"] {
  if (mode === "honest" || end === "failed" || threshold === undefined) return null;
  if (score > threshold) return "caught";
  return sideTask ? "missed" : null;
}
