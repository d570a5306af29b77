import type { Host } from "../../runtime/host.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";

/** The ask that a command names. */
export interface NamedAsk {
  readonly askId: number;
  /** The id of the asking task, as the event of its ask has it. */
  readonly taskId?: string | undefined;
}

/** An open ask with the task that asks. */
export interface Asked {
  readonly task: Task;
  readonly ask: Ask;
}

/**
 * The open asks that a command can mean: of the task, and of the subtasks that it waits for. Ids of asks are unique in a
 * task only: subtasks that work at the same time may have equal ones.
 */
export function namedAsks(
  root: Task,
  host: Pick<Host, "stack" | "tasks">,
  named: NamedAsk,
): readonly Asked[] {
  return root.treeAsks.flatMap(({ path, ask }) => {
    const task = host.tasks.get(path.at(-1) ?? "");
    if (task === undefined || ask.id !== named.askId || host.stack(task.id)[0] !== root) return [];
    return named.taskId === undefined || named.taskId === task.id ? [{ task, ask }] : [];
  });
}

/**
 * The task that a command names, to say why it has no such ask: without a name the one in focus. Undefined where the run no
 * longer waits for the named one: its answer is for no other task (L7).
 */
export function namedTask(
  root: Task,
  host: Pick<Host, "stack" | "tasks" | "focus">,
  taskId: string | undefined,
): Task | undefined {
  if (taskId === undefined) return host.focus(root.id) ?? root;
  return host.stack(taskId)[0] === root ? host.tasks.get(taskId) : undefined;
}

export const unknownAsk = ({ askId, taskId }: NamedAsk): string =>
  `no open ask${taskId === undefined ? "" : ` of task ${taskId}`} has the id ${askId}`;

/** The refusal of a command that may mean each of these asks. */
export const ambiguousAsk = (asks: readonly Asked[]): string => {
  const ids = asks
    .map(({ task }) => task.id)
    .toSorted()
    .join(", ");
  return `several tasks have an open ask ${asks[0]?.ask.id}: expected "taskId" to be one of ${ids}, got none`;
};
