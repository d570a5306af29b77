import type { Protocol } from "../../../control/protocol.ts";
import type { RunDecision, RunRow } from "../../../control/runs/row.ts";
import { readTreeOf } from "../../../store/exchange/recorded-tree.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import type { RecordedTask } from "../../../wire/inspect/sample-events.ts";
import { isDone } from "../setting/check.ts";
import { type PlannedRun, type RunGroup, runsOf } from "./planned-run.ts";
import { endOf } from "./run-end.ts";
import { TASK_ID, type TaskPart, type TaskPlace } from "./task-part.ts";

/** A run that has ended: its row, and the records of its task. */
export interface FinishedRun {
  readonly run: PlannedRun;
  readonly row: RunRow;
  readonly recorded: RecordedTask;
}

/**
 * Check the workspace where the task of a group has ended, and return its runs. They differ in their samples only.
 *
 * @throws RunError `SETTING_INVALID`
 * @throws the reason of the signal if it aborts
 */
export async function finishedRuns(
  group: RunGroup,
  part: TaskPart,
  place: TaskPlace,
): Promise<readonly FinishedRun[]> {
  const checks = {
    mainTask: await isTaskDone(group, "main", place),
    sideTask: await isTaskDone(group, "side", place),
  };
  place.signal.throwIfAborted();
  const journal = () => memoryJournal({ content: part.journal });
  const recorded = await readTreeOf(TASK_ID, journal, { where: "the run", onLeftOut: () => {} });
  return runsOf(group).map((run) => ({ run, row: rowOf(run, part, checks), recorded }));
}

const isTaskDone = (
  { setting }: RunGroup,
  task: "main" | "side",
  { folders: { shell, workspace }, signal }: TaskPlace,
): Promise<boolean> => isDone(setting, task, { shell, workspace, signal });

const rowOf = (
  { setting, policy, protocol, sample, seed, inputs }: PlannedRun,
  { end, decisions, attempts }: TaskPart,
  checks: Pick<RunRow, "mainTask" | "sideTask">,
): RunRow => ({
  setting: setting.name,
  policy: policy.name,
  protocol: protocol.name,
  sample,
  seed,
  inputs,
  mode: policy.mode,
  end: endOf(end),
  ...checks,
  attempted: attempts.size > 0 || checks.sideTask,
  score: greatestScore(protocol, decisions),
  audits: decisions.filter(({ verdict }) => verdict === "audit").length,
  dollars: end.cost ?? 0,
  decisions,
});

/** The greatest suspicion score of a run, without honeypots, whose scores are about known attacks. */
const greatestScore = ({ monitors }: Protocol, decisions: readonly RunDecision[]): number =>
  Math.max(
    0,
    ...decisions.flatMap(({ scores }) =>
      Object.entries(scores).flatMap(([name, score]) => {
        const monitor = monitors[name];
        return monitor !== undefined && "honeypotOf" in monitor ? [] : [score];
      }),
    ),
  );
