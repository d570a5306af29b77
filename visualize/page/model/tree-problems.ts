import type { Problem } from "./problems.ts";
import { lastUntil } from "./search-sorted.ts";
import type { SubtaskNode, SubtaskTree } from "./subtask-tree.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/** A problem of the shown task, or of one of its subtasks. */
export interface TreeProblem {
  readonly problem: Problem;
  /** The trace that it is in. */
  readonly trace: TraceSnapshot;
  /** Undefined: it is a problem of the shown task. */
  readonly subtask: SubtaskNode | undefined;
  /** The time of its event, in milliseconds since 1970. */
  readonly time: number;
}

/** The problems of a task and of its subtasks by time. At one time, problems of subtasks are first: they may be the causes. */
export function treeProblems(
  trace: TraceSnapshot,
  { all }: Pick<SubtaskTree, "all">,
): readonly TreeProblem[] {
  const own = problemsOf(trace, undefined);
  if (all.length === 0) return own;
  const inside = all
    .toReversed()
    .flatMap((node) => (node.trace === undefined ? [] : problemsOf(node.trace, node)));
  return [...inside, ...own].toSorted((one, other) => one.time - other.time);
}

const problemsOf = (trace: TraceSnapshot, subtask: SubtaskNode | undefined): readonly TreeProblem[] =>
  trace.index.problems.list.map((problem) => ({
    problem,
    trace,
    subtask,
    time: trace.index.times[problem.seq] ?? 0,
  }));

/** Whether a problem comes after an event of the shown task. */
export const isLater = (
  { problem, subtask, time }: TreeProblem,
  trace: TraceSnapshot,
  at: number,
): boolean => (subtask === undefined ? problem.seq > at : time > (trace.index.times[at] ?? 0));

/** The event of the shown task at a time: the last one that happened until then. */
export const eventAtTime = ({ index }: TraceSnapshot, time: number): number =>
  Math.max(
    0,
    lastUntil(index.times, time, (one) => one),
  );
