import type { Subscription } from "rxjs";
import type { JsonEventEmitter } from "../../client/index.ts";
import type { Task, TaskCommit } from "../../runtime/index.ts";

/** How a start ended. */
export type StartEnd = "task_completed" | "task_aborted" | "task_failed" | "task_error";

/** What a client is told of it. */
export const START_END_WORDS: Readonly<Record<StartEnd, string>> = {
  task_completed: "task completed",
  task_aborted: "task aborted",
  task_failed: "task failed",
  task_error: "task error",
};

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

  /** The start that waits for the task's end, once: it is told that end. */
  takeStart(): string | undefined {
    const { startId } = this;
    this.startId = undefined;
    return startId;
  }

  /** From wherever it is (L10). A rest that waits for a decision is declined: so it can be resumed like any other. */
  bringToRest(): void {
    this.isCancelled = true;
    this.task.cancel();
    const ask = this.task.asks.at(-1);
    if (
      ask?.kind === "api_req_failed" ||
      ask?.kind === "mistake_limit_reached" ||
      ask?.kind === "auto_approval_max_req_reached"
    )
      ask.decline();
  }

  /** All that was decided is shown. A journal that can't be written says so itself. */
  async settled(): Promise<void> {
    await this.task.flushed().catch(() => undefined);
  }

  /** Called with its end. */
  onEnd(end: () => void): void {
    this.#ends.push(end);
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}
