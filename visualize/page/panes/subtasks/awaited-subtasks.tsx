import { plural } from "../../../../present/plural.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { callText } from "../../model/problem-text.ts";
import { type SubtaskMoment, subtaskRows } from "../../model/subtask-rows.ts";
import type { SubtaskTree } from "../../model/subtask-tree.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { waitingStarts } from "../../model/waiting-starts.ts";
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
  const isAwaited = (callId: string): boolean =>
    (index.outcomes.get(callId)?.seq ?? Number.POSITIVE_INFINITY) > at;
  const awaited = tree.children.filter(({ starts }) => isAwaited(starts[0].call.callId));
  const rows = subtaskRows(trace, { all: awaited }, { at, isPast, until }, tasks);
  return (
    <section aria-label="Awaited subtasks">
      <p>Waits for {plural(rows.length, "subtask")}.</p>
      <SubtaskList rows={rows} onTask={onTask} />
      {waitingStarts(index, at).map((callId) => (
        <p key={callId} className="sb-dim">
          {shortened(callText(callId, index), CALL_MAX_CHARS)}: waits for its turn.
        </p>
      ))}
    </section>
  );
}
