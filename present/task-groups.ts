import { TASK_GROUPS, type TaskGroup } from "./task-status.ts";

/** A task in a list that is a tree by parent. */
export interface GroupedTask {
  readonly id: string;
  readonly parentId?: string;
  readonly group: TaskGroup;
}

/** A task in its place in the tree. */
export interface TaskRow<T> {
  readonly task: T;
  /** 0: a task whose parent is not in the list. */
  readonly depth: number;
}

/** The trees of one group. */
export interface TaskSection<T> {
  readonly group: TaskGroup;
  /** Number of tasks that wait for a person, or, in another group, of trees. */
  readonly count: number;
  /** Each parent before its subtasks. */
  readonly rows: readonly TaskRow<T>[];
}

/**
 * Group tasks as trees by parent, the most urgent group first. A tree is in the group of its root, or needs a person if
 * one of its tasks does. Trees and siblings are ordered by `compare`. A group without tasks is absent.
 */
export function groupTasks<T extends GroupedTask>(
  tasks: readonly T[],
  compare: (a: T, b: T) => number,
): readonly TaskSection<T>[] {
  const sections = new Map<TaskGroup, { count: number; readonly rows: TaskRow<T>[] }>();
  for (const rows of treesOf(tasks.toSorted(compare))) {
    const waiting = rows.filter(({ task }) => task.group === "needs_you").length;
    const group = waiting > 0 ? "needs_you" : rows[0]?.task.group;
    if (group === undefined) continue;
    const section = sections.get(group) ?? { count: 0, rows: [] };
    section.count += Math.max(1, waiting);
    for (const row of rows) section.rows.push(row);
    sections.set(group, section);
  }
  return TASK_GROUPS.flatMap((group) => {
    const section = sections.get(group);
    return section === undefined ? [] : [{ group, ...section }];
  });
}

/** The rows of each tree. The tasks of a cycle, which no journal of this package has, are roots. */
function treesOf<T extends GroupedTask>(tasks: readonly T[]): readonly (readonly TaskRow<T>[])[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const children = new Map<string, T[]>();
  const roots: T[] = [];
  for (const task of tasks) {
    const { parentId } = task;
    if (parentId === undefined || isOwnAncestor(task, byId) || !byId.has(parentId)) roots.push(task);
    else children.set(parentId, [...(children.get(parentId) ?? []), task]);
  }
  return roots.map((root) => {
    const rows: TaskRow<T>[] = [];
    const open: TaskRow<T>[] = [{ task: root, depth: 0 }];
    for (let row = open.pop(); row !== undefined; row = open.pop()) {
      rows.push(row);
      const { task, depth } = row;
      for (const child of (children.get(task.id) ?? []).toReversed())
        open.push({ task: child, depth: depth + 1 });
    }
    return rows;
  });
}

function isOwnAncestor<T extends GroupedTask>(task: T, byId: ReadonlyMap<string, T>): boolean {
  const seen = new Set<string>();
  let { parentId } = task;
  while (parentId !== undefined && !seen.has(parentId)) {
    if (parentId === task.id) return true;
    seen.add(parentId);
    parentId = byId.get(parentId)?.parentId;
  }
  return false;
}
