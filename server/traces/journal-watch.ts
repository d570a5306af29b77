import type { Clock } from "../../ports/clock.ts";
import type { TaskHistory } from "../../runtime/task-history/task-history.ts";

export interface JournalWatchOptions {
  readonly history: Pick<TaskHistory, "watch">;
  readonly clock: Clock;
  /** Milliseconds in which changes of one task are collected. */
  readonly collectMs: number;
  /** Called after a task's files changed, whichever process wrote them. */
  readonly onChange: (taskId: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Watches the files of all tasks while a reader needs it. */
export class JournalWatch {
  readonly #options: JournalWatchOptions;
  readonly #timers = new Map<string, () => void>();
  #readers = 0;
  #unwatch: (() => void) | undefined;

  constructor(options: JournalWatchOptions) {
    this.#options = options;
  }

  /** Watch until the returned function is called. */
  open(): () => void {
    this.#readers += 1;
    this.#unwatch ??= this.#watch();
    return () => {
      this.#readers -= 1;
      if (this.#readers === 0) this.close();
    };
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #watch(): () => void {
    const { history, onError } = this.#options;
    try {
      return history.watch({ onChange: (taskId) => this.#collect(taskId), onError });
    } catch (error) {
      // The journals can be read; what other processes append is seen when they are read again.
      onError(error);
      return () => {};
    }
  }

  #collect(taskId: string): void {
    const { clock, collectMs, onChange } = this.#options;
    if (this.#timers.has(taskId)) return;
    const cancel = clock.after(collectMs, () => {
      this.#timers.delete(taskId);
      onChange(taskId);
    });
    this.#timers.set(taskId, cancel);
  }
}
