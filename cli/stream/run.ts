import type { Subscription } from "rxjs";
import type { JsonEventEmitter, Task, TaskCommit } from "../../client/index.ts";

/** How a start ended. */
export type StartEnd = "task_completed" | "task_aborted" | "task_failed" | "task_error";

/** The task of a session: from its start, or its opening, until another takes its place. */
export class Run {
  readonly task: Task;
  /** The start that waits for the task's end; undefined once it has had it, and for a task that went on. */
  startId: string | undefined;
  /** It was cancelled: its next rest is that of the cancel. */
  isCancelled = false;
  readonly #ends: (() => void)[];

  /** @param before told of each commit before it is shown; `after`, once it was */
  constructor(
    task: Task,
    startId: string | undefined,
    emitter: JsonEventEmitter,
    before: (shown: TaskCommit) => void,
    after: (shown: TaskCommit) => void,
  ) {
    this.task = task;
    this.startId = startId;
    // In this order each commit comes to them.
    const first: Subscription = task.events$.subscribe(before);
    const end = emitter.attachToTask(task);
    const last: Subscription = task.events$.subscribe(after);
    this.#ends = [() => first.unsubscribe(), end, () => last.unsubscribe()];
  }

  /** Called with its end. */
  onEnd(end: () => void): void {
    this.#ends.push(end);
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}
