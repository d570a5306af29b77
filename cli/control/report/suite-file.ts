import { open } from "node:fs/promises";
import type { SuiteReport } from "../../../wire/http/suite.ts";
import { CliError, errorMessage } from "../../error.ts";
import { rowSchema } from "../run/row-schema.ts";
import { createReport } from "./report.ts";
import { readRunRows } from "./run-rows.ts";

/** The options of a report, where nothing else is asked for. */
export const REPORT_DEFAULTS = { flagged: [0.01, 0.05], seed: 1 } as const;

/**
 * Measure the runs of a file of `signalbox control run`. Undefined for a file whose first line is no run, such as a journal.
 *
 * @throws CliError for a later line that is no run, and for a file that can't be read
 */
export async function suiteIn(file: string): Promise<SuiteReport | undefined> {
  if (!(await startsWithRun(file))) return undefined;
  const { flagged, seed } = REPORT_DEFAULTS;
  const report = createReport(await readRunRows(file), { audits: flagged, seed });
  // The plotting library is loaded only here.
  const { suiteReport } = await import("./suite-report.ts");
  return suiteReport(report, flagged);
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
