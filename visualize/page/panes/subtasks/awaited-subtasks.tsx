import { plural } from "../../../../present/plural.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { awaitedSubtasks } from "../../model/awaited-subtasks.ts";
import { callText } from "../../model/problem-text.ts";
import { type SubtaskMoment, subtaskRows } from "../../model/subtask-rows.ts";
import type { SubtaskTree } from "../../model/subtask-tree.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { WAITS_FOR_TURN, waitingStarts } from "../../model/waiting-starts.ts";
import { shortened } from "../../text/printable.ts";
import { SubtaskList } from "./subtask-list.tsx";

export interface AwaitedSubtasksProps extends SubtaskMoment {
  readonly trace: TraceSnapshot;
  readonly tree: SubtaskTree;
  readonly tasks: readonly TaskInfo[];
  readonly onTask: (taskId: string) => void;
}

const CALL_MAX_CHARS = 120;

/** The subtasks that a task in `running.delegated` waits for, and its calls that start others after them. */
export function AwaitedSubtasks({ trace, tree, tasks, at, isPast, until, onTask }: AwaitedSubtasksProps) {
  const { index } = trace;
  const all = awaitedSubtasks(trace, tree, at);
  const rows = subtaskRows(trace, { all }, { at, isPast, until }, tasks);
  return (
    <section aria-label="Awaited subtasks">
      <p>Waits for {plural(rows.length, "subtask")}.</p>
      <SubtaskList rows={rows} onTask={onTask} />
      {waitingStarts(index, at).map((callId) => (
        <p key={callId} className="sb-dim">
          {shortened(callText(callId, index), CALL_MAX_CHARS)}: {WAITS_FOR_TURN}.
        </p>
      ))}
    </section>
  );
}
