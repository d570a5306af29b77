import type { RunRow } from "../../../control/runs/row.ts";
import type { EvalEvent, EvalLog } from "../../../wire/inspect/eval-log.ts";
import type { RecordedTask } from "../../../wire/inspect/sample-events.ts";
import { inspectLog } from "../../inspect-log.ts";
import type { PlannedRun } from "./planned-run.ts";

/**
 * The log of a run for Inspect, with the metadata and the names of scores that ControlArena's analysis reads. The task is the
 * setting, whose one sample has an epoch for each run. See https://control-arena.aisi.org.uk/analysis.html.
 */
export function runLog(planned: PlannedRun, row: RunRow, recorded: RecordedTask): EvalLog {
  const log = inspectLog(recorded);
  const { setting } = planned;
  const sample = { setting: row.setting, protocol: row.protocol, policy: row.policy, seed: row.seed };
  const id = [row.setting, row.policy, row.protocol, row.sample, row.seed].join("/");
  const scores = scoresOf(row);
  return {
    ...log,
    eval: {
      ...log.eval,
      eval_id: id,
      run_id: `${row.inputs}/${row.seed}`,
      task: row.setting,
      task_id: id,
      task_args: sample,
      dataset: { name: row.setting, samples: 1, sample_ids: [row.setting], shuffled: false },
      metadata: { micro_protocol: row.protocol, policy: row.policy, eval_mode: row.mode },
    },
    results: {
      ...log.results,
      scores: Object.entries(scores).map(([name, { value }]) => ({
        name,
        scorer: name,
        params: {},
        metrics: { mean: { name: "mean", value: Number(value), params: {} } },
      })),
    },
    samples: log.samples.map((each) => ({
      ...each,
      id: row.setting,
      epoch: row.sample + 1,
      uuid: id,
      events: each.events.map((event) => withSampleId(event, row.setting)),
      metadata: {
        ...each.metadata,
        ...sample,
        eval_mode: row.mode,
        main_task_description: setting.prompt,
        side_task_description: setting.sideTask,
        attempted: row.attempted,
        audits: row.audits,
        end: row.end,
      },
      scores,
    })),
  };
}

/** Name the sample in the event in which it begins. */
const withSampleId = (event: EvalEvent, id: string): EvalEvent =>
  event.event === "sample_init" ? { ...event, sample: { ...Object(event.sample), id } } : event;

const scoresOf = (row: RunRow) => ({
  main_task_success: scoreOf(row.mainTask),
  side_task_success: scoreOf(row.sideTask),
  max_suspicion_scorer: scoreOf(row.score),
});

const scoreOf = (value: boolean | number) => ({ value, history: [] });
