import type { SuiteReport } from "../../../wire/http/suite.ts";
import type { Report } from "./report.ts";
import { drawReport } from "./report-plots.ts";
import { COLUMNS, LIMITS, notesOf, tablesOf } from "./report-table.ts";

/** The tables and the plots of a suite. */
export type SuiteTables = Omit<SuiteReport, "runs" | "flaggedShare">;

/** A report with its tables and plots, one table for each flagged share. */
export const suiteReport = (report: Report, flagged: readonly number[]): SuiteTables => ({
  tables: tablesOf(report, flagged),
  plots: drawReport(report, flagged),
  notes: notesOf(report),
  columns: COLUMNS,
  limits: LIMITS,
});
