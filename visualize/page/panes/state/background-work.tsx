import type { BackgroundSubtask } from "../../../../machines/task/task.events.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { backgroundSubtasks } from "../../model/background-subtasks.ts";
import { subtaskLabel, subtaskName } from "../../model/subtask-name.ts";
import { type SubtaskMoment, type SubtaskRow, subtaskRows } from "../../model/subtask-rows.ts";
import type { SubtaskTree } from "../../model/subtask-tree.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { shortened } from "../../text/printable.ts";
import { Group } from "./group.tsx";

export interface BackgroundWorkProps extends Pick<SubtaskMoment, "at" | "until"> {
  readonly trace: TraceSnapshot;
  readonly subtasks:
    | (Pick<SubtaskMoment, "isPast"> & { readonly tree: SubtaskTree; readonly tasks: readonly TaskInfo[] })
    | undefined;
}

const NAME_MAX_CHARS = 60;

/** The commands and the subtasks that work while the task goes on. A subtask has the state of its own trace. */
export function BackgroundWork({ trace, at, until, subtasks }: BackgroundWorkProps) {
  const { background = [] } = trace.moment(at).memory.facts;
  const facts = backgroundSubtasks(trace, at);
  const ids = new Set(facts.map(({ childId }) => childId));
  const all = subtasks?.tree.children.filter(({ taskId }) => ids.has(taskId)) ?? [];
  const rows =
    subtasks === undefined
      ? []
      : subtaskRows(trace, { all }, { at, until, isPast: subtasks.isPast }, subtasks.tasks);
  return (
    <>
      {background.length > 0 && (
        <Group
          name="commands in the background"
          pills={background.map(({ callId, command }) => (
            <span key={callId} className="sb-pill" title={shortened(command, 400)}>
              {shortened(command, NAME_MAX_CHARS)}
            </span>
          ))}
        />
      )}
      {facts.length > 0 && (
        <Group
          name="subtasks in the background"
          pills={facts.map((fact) => {
            const row = rows.find(({ taskId }) => taskId === fact.childId);
            const { number, title } = row ?? subtaskName(fact.childId, undefined, trace.taskId);
            return (
              <span key={fact.callId} className="sb-pill" title={shortened(titleOf(fact), 400)}>
                {shortened(subtaskLabel({ number, title }), NAME_MAX_CHARS)} <i>{stateOf(fact, row)}</i>
              </span>
            );
          })}
        />
      )}
    </>
  );
}

const titleOf = ({ childId, end }: BackgroundSubtask): string =>
  end === undefined ? childId : `${childId}: the next request tells the model its end`;

/** The status of a subtask by its own trace or, if that is not loaded, by the facts of its parent. */
const stateOf = ({ end, rests }: BackgroundSubtask, row: SubtaskRow | undefined): string =>
  row?.known?.status.word ?? end?.kind ?? rests ?? "running";
