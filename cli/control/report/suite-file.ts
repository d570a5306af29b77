import { open, readdir } from "node:fs/promises";
import path from "node:path";
import type { SuiteReport } from "../../../wire/http/suite.ts";
import { CliError, errorMessage } from "../../error.ts";
import { logFolderOf, logNameOf } from "../run/log-folder.ts";
import { rowSchema } from "../run/row-schema.ts";
import { createReport } from "./report.ts";
import { byKey, readRunRows } from "./run-rows.ts";
import { suiteRuns } from "./suite-runs.ts";

/** The options of a report, where nothing else is asked for. */
export const REPORT_DEFAULTS = { flagged: [0.01, 0.05], seed: 1 } as const;

/** A measured suite, with the log of each of its runs. */
export interface MeasuredSuite {
  readonly report: SuiteReport;
  /** The logs for Inspect of the runs, by their indexes. Undefined: the run has none. */
  readonly logs: readonly (string | undefined)[];
}

/**
 * Measure the runs of a file of `signalbox control run`, and find the logs beside it that `--export inspect` wrote. Undefined for a
 * file whose first line is no run, such as a journal.
 *
 * @throws CliError for a later line that is no run, and for a file that can't be read
 */
export async function suiteIn(file: string): Promise<MeasuredSuite | undefined> {
  if (!(await startsWithRun(file))) return undefined;
  const { flagged, seed } = REPORT_DEFAULTS;
  const read = await readRunRows(file);
  const report = createReport(read, { audits: flagged, seed });
  const rows = read.rows.toSorted(byKey);
  const folder = logFolderOf(file);
  // Runs without --export have no folder.
  const names = new Set(await readdir(folder).catch(() => []));
  const logs = rows.map(logNameOf).map((name) => (names.has(name) ? path.join(folder, name) : undefined));
  const runs = suiteRuns(rows, report, flagged[0], (row) => names.has(logNameOf(row)));
  // The plotting library is loaded only here.
  const { suiteReport } = await import("./suite-report.ts");
  return { report: { ...suiteReport(report, flagged), ...runs }, logs };
}

async function startsWithRun(file: string): Promise<boolean> {
  const handle = await open(file).catch((cause: unknown) => {
    throw new CliError(
      `${file}: expected a journal, or runs of signalbox control run, can't be read (${errorMessage(cause)}). Correct the path.`,
      { cause },
    );
  });
  try {
    for await (const line of handle.readLines()) return isRun(line);
    return false;
  } finally {
    await handle.close();
  }
}

function isRun(line: string): boolean {
  try {
    return rowSchema.safeParse(JSON.parse(line)).success;
  } catch {
    // The caller reads the file as something else, and reports the line.
    return false;
  }
}
