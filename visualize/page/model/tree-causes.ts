import { type Cause, causesInTask, causesOfStart, originOf } from "./causes.ts";
import { problemKind, problemText } from "./problem-text.ts";
import type { Problem } from "./problems.ts";
import type { SubtaskTree } from "./subtask-tree.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";
import type { TreeProblem } from "./tree-problems.ts";

type Names = Pick<SubtaskTree, "loaded" | "nameOf">;

/**
 * The causes of a problem, the nearest first: for a failed subtask, the problems inside of it down to the last one. Then
 * the causes in the task itself and, for a subtask, the calls that led to it, up to the shown task and its own parent.
 */
export function causesOf({ problem, trace, subtask }: TreeProblem, tree: Names): readonly Cause[] {
  const own = causesInTask(problem, trace, trace.index);
  const inside = causesInside(problem, tree, new Set([trace.taskId]));
  if (subtask === undefined) return [...inside, ...own, ...originOf(trace.index, tree)];
  const { starts } = subtask;
  const above = starts.flatMap(({ trace: parent, call }, nth) => {
    const causes = [
      { text: `subtask of ${tree.nameOf(parent.taskId)}`, seq: call.seq },
      ...causesOfStart(call, parent.index),
    ];
    const isShown = nth === starts.length - 1;
    return isShown ? [...causes, ...originOf(parent.index, tree)] : inTask(causes, parent);
  });
  return [...inside, ...inTask(own, trace), ...above];
}

/** The failed subtask with its newest problem, and the same for the subtask that failed there. */
function causesInside({ trouble }: Problem, tree: Names, known: ReadonlySet<string>): readonly Cause[] {
  if (trouble.kind !== "subtask" || trouble.child === undefined) return [];
  const { child } = trouble;
  const link = { text: `subtask ${tree.nameOf(child)}`, task: child };
  const trace = tree.loaded.traces.get(child);
  const newest = trace?.index.problems.list.at(-1);
  if (trace === undefined || newest === undefined || known.has(child)) return [link];
  const text = `${problemKind(newest)}: ${problemText(newest, trace.index)}`;
  return [
    link,
    ...inTask([{ text, seq: newest.seq }], trace),
    ...causesInside(newest, tree, new Set([...known, child])),
  ];
}

/** Causes in a task that is not shown. */
const inTask = (causes: readonly Cause[], trace: TraceSnapshot): readonly Cause[] =>
  causes.map(({ seq, ...cause }) =>
    seq === undefined || cause.task !== undefined
      ? cause
      : { ...cause, task: trace.taskId, record: trace.event(seq).record.seq },
  );
