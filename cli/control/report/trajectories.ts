import type { OpenRun } from "../../../server/services.ts";
import { type ConvertOptions, convertLog } from "../../transcripts/converted.ts";
import type { MeasuredSuite } from "./suite-file.ts";

/** Open the trajectories of the runs of a suite as tasks of a data directory, each once: their logs are read when they are asked for. */
export function trajectoriesOf({ report, logs }: MeasuredSuite, options: ConvertOptions): OpenRun {
  const opened = new Map<number, Promise<string | undefined>>();
  const convert = async (run: number): Promise<string | undefined> => {
    const [file, row] = [logs[run], report.runs[run]];
    if (file === undefined || row === undefined) return undefined;
    const taskId = `run-${run}`;
    const title = `${row.setting}, ${row.protocol}, ${row.policy}, sample ${row.sample}`;
    return (await convertLog(file, { taskId, title }, options)) ? taskId : undefined;
  };
  return (run) => {
    const task = opened.get(run) ?? convert(run);
    opened.set(run, task);
    return task;
  };
}
