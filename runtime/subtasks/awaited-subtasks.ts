import type { Task } from "../task/task.ts";

/** The open subtasks that the tasks of a host wait for. */
export class AwaitedSubtasks {
  readonly #byParent = new Map<string, readonly Task[]>();

  /** The subtasks that a task waits for, in the order of their calls. */
  of(parentId: string): readonly Task[] {
    return this.#byParent.get(parentId) ?? [];
  }

  has(task: Task): boolean {
    return task.parent !== undefined && this.of(task.parent.taskId).includes(task);
  }

  add(task: Task): void {
    if (task.parent === undefined) return;
    const { taskId } = task.parent;
    const others = this.of(taskId).filter(({ id }) => id !== task.id);
    this.#byParent.set(
      taskId,
      [...others, task].toSorted((one, other) => ordinalOf(one) - ordinalOf(other)),
    );
  }

  remove(parentId: string, childId: string): void {
    const others = this.of(parentId).filter(({ id }) => id !== childId);
    if (others.length === 0) this.#byParent.delete(parentId);
    else this.#byParent.set(parentId, others);
  }
}

/** The number of a subtask among the subtasks of its parent. */
const ordinalOf = ({ id }: Task): number => Number(id.slice(id.lastIndexOf(".") + 1));
