import type { RunRow } from "../../../control/runs/row.ts";
import { labelOf } from "../plots/label.ts";
import { RunError } from "../run-error.ts";
import type { LogFolder } from "./log-folder.ts";
import { keyOf, keyOfPlanned, type PlannedRun, type RunGroup, runsOf } from "./planned-run.ts";
import type { RowFile } from "./row-file.ts";
import { type RunScope, runGroup } from "./run-group.ts";
import { runLog } from "./run-log.ts";

export interface SuiteScope extends RunScope {
  /** Groups at the same time. */
  readonly jobs: number;
  /** The file of the rows. Absent: the rows are only returned. */
  readonly file?: RowFile;
  /** The folder of the logs. Absent: no logs are written. */
  readonly logs?: LogFolder;
  /** Called as runs end. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Run all groups whose rows the file lacks, and return the rows of all groups in their order. Where the file has only
 * some rows of a group, a write was cut off: the whole group runs again, as its runs share one prefix. After a failure or
 * an abort no further group starts.
 *
 * @throws RunError `ROWS_DIFFER` where the file has a row of another seed or other inputs
 * @throws the reason of `signal` if it aborts
 * @throws the error of the first run that fails
 */
export async function runSuite(groups: readonly RunGroup[], scope: SuiteScope): Promise<readonly RunRow[]> {
  const planned = groups.flatMap(runsOf);
  const rows = rowsBefore(planned, scope.file?.rows ?? []);
  const waiting = groups.filter((group) => runsOf(group).some((run) => !rows.has(keyOfPlanned(run))));
  await removeRows(waiting, rows, scope.file);
  const queue = waiting.values();
  const failures: unknown[] = [];
  const report = (): void => scope.onProgress(rows.size, planned.length);
  report();
  const work = async (): Promise<void> => {
    for (const group of queue) {
      if (failures.length > 0 || scope.signal.aborted) return;
      try {
        for (const row of await rowsOfGroup(group, scope)) rows.set(keyOf(row), row);
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

/** Run a group, and keep its logs and then its rows. */
async function rowsOfGroup(group: RunGroup, scope: SuiteScope): Promise<readonly RunRow[]> {
  const finished = await runGroup(group, scope);
  for (const { run, row, recorded } of finished) await scope.logs?.write(row, runLog(run, row, recorded));
  const rows = finished.map(({ row }) => row);
  await scope.file?.append(rows);
  return rows;
}

/** Remove the rows of groups. */
async function removeRows(
  groups: readonly RunGroup[],
  rows: Map<string, RunRow>,
  file: RowFile | undefined,
): Promise<void> {
  const keys = groups.flatMap(runsOf).map(keyOfPlanned);
  await file?.remove(new Set(keys.filter((key) => rows.delete(key))));
}

/** The rows of planned runs, by their keys. */
function rowsBefore(planned: readonly PlannedRun[], found: readonly RunRow[]): Map<string, RunRow> {
  const plans = new Map(planned.map((run) => [keyOfPlanned(run), run]));
  const rows = new Map<string, RunRow>();
  for (const row of found) {
    const run = plans.get(keyOf(row));
    if (row.seed !== planned[0]?.seed)
      throw new RunError(
        "ROWS_DIFFER",
        `--out: expected the seed ${planned[0]?.seed}, got a file with ${row.seed}. Name a new file.`,
      );
    if (run === undefined) continue;
    if (row.inputs !== run.inputs) throw new RunError("ROWS_DIFFER", inputsDiffer(row));
    rows.set(keyOf(row), row);
  }
  return rows;
}

const inputsDiffer = ({ setting, policy, protocol }: RunRow): string =>
  `--out: expected rows of the setting ${labelOf(setting)}, the policy ${labelOf(policy)} and the protocol ${labelOf(protocol)} as they are now, got others. The setting, the protocol, its options, the models or the version may have changed. Name a new file.`;
