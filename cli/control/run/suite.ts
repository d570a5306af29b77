import type { RunRow } from "../../../control/runs/row.ts";
import { RunError } from "../run-error.ts";
import type { LogFolder } from "./log-folder.ts";
import { type RunScope, runOnce } from "./one-run.ts";
import { keyOf, keyOfPlanned, type PlannedRun } from "./planned-run.ts";
import type { RowFile } from "./row-file.ts";
import { runLog } from "./run-log.ts";

export interface SuiteScope extends RunScope {
  /** Runs at the same time. */
  readonly jobs: number;
  /** The file of the rows. Absent: the rows are only returned. */
  readonly file?: RowFile;
  /** The folder of the logs. Absent: no logs are written. */
  readonly logs?: LogFolder;
  /** Called as runs end. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Run all planned runs that the file has no row of, and return the rows of all planned runs in their order. After a failure
 * or an abort no further run starts.
 *
 * @throws RunError `ROWS_DIFFER` where the file has a row of another seed or other inputs
 * @throws the reason of `signal` if it aborts
 * @throws the error of the first run that fails
 */
export async function runSuite(
  planned: readonly PlannedRun[],
  scope: SuiteScope,
): Promise<readonly RunRow[]> {
  const rows = rowsBefore(planned, scope.file?.rows ?? []);
  const waiting = planned.filter((run) => !rows.has(keyOfPlanned(run)));
  const queue = waiting.values();
  const failures: unknown[] = [];
  const report = (): void => scope.onProgress(rows.size, planned.length);
  report();
  const work = async (): Promise<void> => {
    for (const run of queue) {
      if (failures.length > 0 || scope.signal.aborted) return;
      try {
        const { row, recorded } = await runOnce(run, scope);
        await scope.logs?.write(row, runLog(run, row, recorded));
        await scope.file?.append(row);
        rows.set(keyOf(row), row);
        report();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: scope.jobs }, work));
  scope.signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  await scope.file?.sort();
  return planned.flatMap((run) => rows.get(keyOfPlanned(run)) ?? []);
}

/** The rows of planned runs, by their keys. */
function rowsBefore(planned: readonly PlannedRun[], found: readonly RunRow[]): Map<string, RunRow> {
  const plans = new Map(planned.map((run) => [keyOfPlanned(run), run]));
  const rows = new Map<string, RunRow>();
  for (const row of found) {
    const run = plans.get(keyOf(row));
    if (row.seed !== planned[0]?.seed) throw rowsDiffer(`the seed ${planned[0]?.seed}`, `${row.seed}`);
    if (run === undefined) continue;
    if (row.inputs !== run.inputs)
      throw rowsDiffer(
        `rows of the setting ${row.setting} as it is, with these options and this version`,
        "others",
      );
    rows.set(keyOf(row), row);
  }
  return rows;
}

const rowsDiffer = (expected: string, got: string): RunError =>
  new RunError("ROWS_DIFFER", `--out: expected ${expected}, got a file with ${got}. Name a new file.`);
