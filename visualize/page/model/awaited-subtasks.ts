import { backgroundSubtasks } from "./background-subtasks.ts";
import type { SubtaskNode, SubtaskTree } from "./subtask-tree.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/**
 * The subtasks that a task in `running.delegated` waits for: those whose calls have no result or, if there are none, those
 * that work in the background.
 */
export function awaitedSubtasks(
  trace: TraceSnapshot,
  { children }: Pick<SubtaskTree, "children">,
  at: number,
): readonly SubtaskNode[] {
  const { outcomes } = trace.index;
  const open = children.filter(({ starts: [{ call }] }) => {
    const isSettled = (outcomes.get(call.callId)?.seq ?? Number.POSITIVE_INFINITY) <= at;
    return !isSettled && call.seq <= at;
  });
  if (open.length > 0) return open;
  const working = backgroundSubtasks(trace, at).filter(
    ({ end, rests }) => end === undefined && rests === undefined,
  );
  const ids = new Set(working.map(({ childId }) => childId));
  return children.filter(({ taskId }) => ids.has(taskId));
}
