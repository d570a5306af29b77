/** The pools of tasks: a task is run by the workers of its pool. A subtask is run with its root. */
export interface TaskPools {
  /** The pool of a task that has no parent; `default` if none was chosen. */
  poolOf(taskId: string): Promise<string>;
  /** The pools of those tasks that are not in `default`, by task. */
  poolsOf(taskIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
