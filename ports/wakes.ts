/** The handler of a wake. It resolves once the task needs nothing more from this worker. `signal` aborts when the worker drains. */
export type WakeHandler = (taskId: string, signal: AbortSignal) => Promise<void>;

/** Work on wakes until it is stopped. */
export interface WakeWork {
  /** Stop taking wakes, abort the signals of those under way, and resolve when their handlers have ended. */
  stop(): Promise<void>;
}

/**
 * Wakes of tasks: a task has something to do, and a worker should own it. Delivered at least once, to one worker at a time.
 * A wake carries no content: a worker reads the task's journal and inbox.
 */
export interface Wakes {
  /** The id of the store whose tasks are woken. Absent: it is not known. */
  readonly storeId?: string;
  /**
   * Wake a task, now or at a time (ms since the epoch), for the workers of its pool. Wakes of one task that nobody works on yet are
   * one; a wake while a worker works on the task is delivered after that.
   */
  wake(taskId: string, at?: number): Promise<void>;
  /**
   * Handle wakes, at most `atOnce` at a time. A wake whose handler rejects, or whose worker dies, is delivered again. `pools`: the
   * pools whose tasks are handled. Default: `default`.
   */
  work(
    handler: WakeHandler,
    options: { readonly atOnce: number; readonly pools?: readonly string[] },
  ): Promise<WakeWork>;
  close(): Promise<void>;
}
