import type { Subscription } from "rxjs";
import type { JsonEventEmitter } from "../../client/roo/ndjson/json-event-emitter.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";

/** The end of a `start` command. */
export type StartEnd = "task_completed" | "task_aborted" | "task_failed" | "task_error";

/** The text of each end. */
export const START_END_TEXT: Readonly<Record<StartEnd, string>> = {
  task_completed: "task completed",
  task_aborted: "task aborted",
  task_failed: "task failed",
  task_error: "task error",
};

/** Whether the task is about to continue with a queued message. */
export const isDelivering = ({ snapshot }: Task): boolean => snapshot.matches({ idle: "delivering" });

/** The current task of a session, until another one replaces it. */
export class StreamTask {
  readonly task: Task;
  /** Request id of the `start` command until it has ended; undefined for a resumed task. */
  startId: string | undefined;
  /** Whether it was cancelled: it settles next because of that. */
  isCancelled = false;
  readonly #ends: (() => void)[];

  /** @param before called with each commit before its events are emitted; `after`, once they are */
  constructor(
    task: Task,
    startId: string | undefined,
    emitter: JsonEventEmitter,
    before: (shown: TaskCommit) => void,
    after: (shown: TaskCommit) => void,
  ) {
    this.task = task;
    this.startId = startId;
    // Each commit reaches them in this order.
    const first: Subscription = task.events$.subscribe(before);
    const end = emitter.attachToTask(task);
    const last: Subscription = task.events$.subscribe(after);
    this.#ends = [() => first.unsubscribe(), end, () => last.unsubscribe()];
  }

  /** Take the request id of the `start` command, which ends now. */
  takeStart(): string | undefined {
    const { startId } = this;
    this.startId = undefined;
    return startId;
  }

  /** Cancel from any state (L10). At rest with an open decision, decline it, so that the task can be resumed. */
  cancel(): void {
    // Before a delivery it has settled: the cancel only keeps the message in the queue.
    this.isCancelled = !isDelivering(this.task);
    this.task.cancel();
    const ask = this.task.asks.at(-1);
    if (ask?.kind === "failure" || ask?.kind === "mistakes" || ask?.kind === "limit") ask.reject();
  }

  /** Resolves when all commits are written and emitted. A failure of the journal is reported elsewhere. */
  async settled(): Promise<void> {
    await this.task.flushed().catch(() => undefined);
  }

  /** Add a function that is called at the end. */
  onEnd(end: () => void): void {
    this.#ends.push(end);
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}
