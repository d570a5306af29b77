import type { Task } from "../task/task.ts";

/** The open subtasks of a host, by their root. */
export class OpenSubtasks {
  readonly #byRoot = new Map<string, Set<Task>>();

  add(task: Task): void {
    if (task.parent === undefined) return;
    const { rootId } = task;
    this.#byRoot.set(rootId, (this.#byRoot.get(rootId) ?? new Set()).add(task));
  }

  remove(task: Task): void {
    const tasks = this.#byRoot.get(task.rootId);
    if (tasks?.delete(task) && tasks.size === 0) this.#byRoot.delete(task.rootId);
  }

  /** The open descendants of a task, in the order of their opening. The tasks between need not be open. */
  below(task: Pick<Task, "id" | "rootId">): readonly Task[] {
    return [...(this.#byRoot.get(task.rootId) ?? [])].filter((open) => isBelow(open, task));
  }
}

/** Whether a task is a descendant of another: a subtask's id is its parent's id, a dot and a number. */
export const isBelow = (task: Pick<Task, "id" | "rootId">, above: Pick<Task, "id" | "rootId">): boolean =>
  task.rootId === above.rootId && task.id.startsWith(`${above.id}.`);
