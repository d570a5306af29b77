import { useMemo, useState } from "react";
import { TASK_GROUPS, type TaskGroup } from "../../../../present/task-status.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { dollars, grouped } from "../../model/format.ts";
import { listedTask } from "../../model/listed-task.ts";
import { needsYouText } from "../../model/needs-you.ts";
import { type SubtaskMoment, type SubtaskRow, subtaskRows, treeCost } from "../../model/subtask-rows.ts";
import type { SubtaskTree } from "../../model/subtask-tree.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { WAITS_FOR_TURN, waitingStarts } from "../../model/waiting-starts.ts";
import { hasAnswers, RowAnswers } from "../../shell/tasks/row-answers.tsx";
import type { TaskActions } from "../../source.ts";
import { SubtaskList } from "./subtask-list.tsx";
import "./subtasks.css";

export interface SubtaskPanelProps extends SubtaskMoment {
  readonly trace: TraceSnapshot;
  readonly tree: SubtaskTree;
  readonly tasks: readonly TaskInfo[];
  /** Undefined: nothing can be answered, since there is no server, or no connection to it. */
  readonly actions: TaskActions | undefined;
  /** Whether the page has little room: then it shows only the subtasks that need a person, until it is unfolded. */
  readonly isNarrow: boolean;
  readonly onTask: (taskId: string) => void;
  readonly onError: (message: string) => void;
}

/** All subtasks of the shown task at its current event. Those that need a person are answered here, also while it is folded. */
export function SubtaskPanel(props: SubtaskPanelProps) {
  const { trace, tree, tasks, at, isPast, until, actions, isNarrow, onTask, onError } = props;
  const [isChosen, setChosen] = useState<boolean>();
  const rows = useMemo(
    () => subtaskRows(trace, tree, { at, isPast, until }, tasks),
    [trace, tree, at, isPast, until, tasks],
  );
  const later = waitingStarts(trace.index, at).length;
  if (rows.length === 0) return null;
  const isUnfolded = isChosen ?? (!isNarrow && rows.some(({ known }) => known?.status.group !== "done"));
  const shown = isUnfolded ? rows : rows.filter(({ known }) => known?.status.group === "needs_you");
  const own = trace.moment(at).memory.facts.total;
  const sum = treeCost(own === undefined ? 0 : own.cost, rows);
  const canAnswer = actions !== undefined && !isPast;
  const answersOf = ({ known }: SubtaskRow) => {
    const task = known && listedTask(known.info);
    if (task === undefined || actions === undefined || !hasAnswers(task)) return null;
    return <RowAnswers task={task} actions={actions} onError={onError} onReview={() => onTask(task.id)} />;
  };
  return (
    <section className="sb-subtasks" aria-label="Subtasks">
      <button
        type="button"
        className="sb-quiet"
        aria-expanded={isUnfolded}
        onClick={() => setChosen(!isUnfolded)}
      >
        <span aria-hidden="true">{isUnfolded ? "▾" : "▸"}</span> <b>Subtasks</b>
        <span className="subtask-counts">{countsText(rows, later)}</span>
        {sum !== 0 && <span className="sb-num sb-dim">{dollars(sum)} with this task</span>}
      </button>
      {shown.length > 0 && (
        <SubtaskList rows={shown} onTask={onTask} {...(canAnswer && { answers: answersOf })} />
      )}
    </section>
  );
}

/** `2 need you · 3 running · 1 done · 1 waits for its turn`. */
function countsText(rows: readonly SubtaskRow[], later: number): string {
  const ofGroup = (group: TaskGroup): number =>
    rows.filter(({ known }) => known?.status.group === group).length;
  const counts = TASK_GROUPS.flatMap((group) => {
    const number = ofGroup(group);
    if (number === 0) return [];
    return group === "needs_you" ? [needsYouText(number)] : [`${grouped(number)} ${group}`];
  });
  const waiting =
    later === 0 ? [] : [`${grouped(later)} ${later === 1 ? WAITS_FOR_TURN : "wait for their turn"}`];
  return [...counts, ...waiting].join(" · ");
}
