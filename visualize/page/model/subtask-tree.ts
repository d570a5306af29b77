import { isInBackground } from "./background-subtasks.ts";
import { type LoadedSubtasks, NO_SUBTASKS } from "./growing-subtasks.ts";
import { memoized } from "./memoized.ts";
import { NO_TITLES, nameBelow, type SubtaskName, subtaskName, type Titles, titleIn } from "./subtask-name.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";
import type { TurnCall } from "./turn-index.ts";

/** A task in which a call started a subtask. */
export interface Start {
  readonly trace: TraceSnapshot;
  readonly call: TurnCall;
}

/** A subtask of the shown task, of any depth. */
export interface SubtaskNode extends SubtaskName {
  readonly taskId: string;
  /** Undefined: it is not loaded. */
  readonly trace: TraceSnapshot | undefined;
  /** The calls that led to it: its own first, the call of the shown task last. */
  readonly starts: readonly [Start, ...Start[]];
  readonly children: readonly SubtaskNode[];
  /** The number of problems in it and in its subtasks. */
  readonly problems: number;
}

/** The subtasks of a task as a tree. */
export interface SubtaskTree {
  readonly children: readonly SubtaskNode[];
  /** All of them, each before its own subtasks. */
  readonly all: readonly SubtaskNode[];
  readonly loaded: LoadedSubtasks;
  /** The name of any task in a sentence: the number and title of a subtask, or the title of another task. */
  nameOf(taskId: string): string;
}

/**
 * The tree of the subtasks of a trace. Each task is in it once, also if damaged journals name each other. A title in the list
 * of tasks replaces the recorded one.
 */
export function subtaskTree(
  trace: TraceSnapshot,
  loaded: LoadedSubtasks = NO_SUBTASKS,
  titles: Titles = NO_TITLES,
): SubtaskTree {
  const titleOf = (taskId: string): string | undefined => {
    const recorded = taskId === trace.taskId ? trace : loaded.traces.get(taskId);
    return titles.get(taskId) ?? (recorded && titleIn(recorded));
  };
  const named = (taskId: string): SubtaskName => subtaskName(taskId, titleOf(taskId), trace.taskId);
  const nameOf = (taskId: string): string => nameBelow(taskId, titleOf(taskId), trace.taskId);
  const known = new Set([trace.taskId]);
  const all: SubtaskNode[] = [];
  const childrenOf = (parent: TraceSnapshot, above: readonly Start[]): readonly SubtaskNode[] =>
    startedIn(parent.index).flatMap(({ call, child }) => {
      if (known.has(child)) return [];
      known.add(child);
      const position = all.length;
      const starts: SubtaskNode["starts"] = [{ trace: parent, call }, ...above];
      const own = loaded.traces.get(child);
      const name = { ...named(child), isBeside: isInBackground(parent, child) };
      const node = { taskId: child, ...name, trace: own, starts, children: [], problems: 0 };
      all.push(node);
      if (own === undefined) return [node];
      const children = childrenOf(own, starts);
      const inside = children.reduce((sum, { problems }) => sum + problems, 0);
      const whole = { ...node, children, problems: own.index.problems.list.length + inside };
      all[position] = whole;
      return [whole];
    });
  return { children: childrenOf(trace, []), all, loaded, nameOf };
}

/** The calls that started subtasks. */
const startedIn = memoized(({ turns }) =>
  turns.flatMap(({ calls }) =>
    calls.flatMap((call) => (call.child === undefined ? [] : [{ call, child: call.child }])),
  ),
);
