import type { TaskHistory } from "../../store/task-history/task-history.ts";

export interface TaskFilesOptions {
  readonly history: Pick<TaskHistory, "watch">;
  readonly onError: (error: unknown) => void;
}

/** The files of all tasks. They are watched, whichever process writes them, while there are listeners. */
export class TaskFiles {
  readonly #options: TaskFilesOptions;
  readonly #listeners = new Set<(taskId: string) => void>();
  #unwatch: (() => void) | undefined;

  constructor(options: TaskFilesOptions) {
    this.#options = options;
  }

  /** Call `listener` after each change of a task's files, until the returned function is called. */
  onChange(listener: (taskId: string) => void): () => void {
    this.#listeners.add(listener);
    this.#unwatch ??= this.#watch();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = undefined;
    };
  }

  #watch(): () => void {
    const { history, onError } = this.#options;
    const onChange = (taskId: string): void => {
      for (const listener of this.#listeners) listener(taskId);
    };
    try {
      return history.watch({ onChange, onError });
    } catch (error) {
      // The list and the journals themselves can be read.
      onError(error);
      return () => {};
    }
  }
}
