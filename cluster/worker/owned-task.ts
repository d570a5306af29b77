import type { Host, Task } from "signalbox";
import type { Clock } from "../../ports/clock.ts";
import { type Deferred, deferred } from "../deferred.ts";

interface OwnedTaskOptions {
  readonly host: Host;
  readonly clock: Clock;
  /** Time at rest after which the task is released, in ms. */
  readonly idleMs: number;
}

/** A task that this worker owns, with its subtasks, until it has been at rest for some time. */
export class OwnedTask {
  readonly task: Task;
  readonly #options: OwnedTaskOptions;
  /** The task and its subtasks: each is looked at after a commit, and the worker has many others. */
  readonly #family = new Set<Task>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #ended: Deferred = deferred();
  /** Aborted when the worker drains. */
  readonly #signal: AbortSignal;
  /** The error of a journal that failed: what the task did since is not written. */
  #failure: Error | undefined;
  /** Resolves when a task that failed is closed. */
  #abandoned: Promise<void> | undefined;
  #isAwaited = false;
  #cancelIdle = (): void => {};

  constructor(task: Task, signal: AbortSignal, options: OwnedTaskOptions) {
    this.task = task;
    this.#signal = signal;
    this.#options = options;
    const opened = options.host.opened$.subscribe((other) => {
      if (other.rootId === task.id) this.#follow(other);
    });
    this.#unsubscribe.push(() => opened.unsubscribe());
    for (const one of options.host.tasks.values()) if (one.rootId === task.id) this.#follow(one);
  }

  /** Whether neither the task nor a subtask works or waits for an answer. */
  get isIdle(): boolean {
    return this.#working.length === 0;
  }

  /** Whether a journal has failed: the task is continued from what is written. */
  get isLost(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether the task and its subtasks only wait for answers. */
  get #isWaiting(): boolean {
    return this.#working.every(({ isWaiting }) => isWaiting);
  }

  /**
   * Resolves when the task has been at rest for `idleMs`, or is closed. If the worker drains: at once if it is at rest or
   * waits for an answer, else when it does next. Rejects if a journal fails, also before the call.
   */
  async untilIdle(): Promise<void> {
    const look = (): void => this.#look();
    this.#signal.addEventListener("abort", look);
    this.#isAwaited = true;
    look();
    try {
      await this.#ended.promise;
      await this.#abandoned?.catch(() => undefined);
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.#cancelIdle();
      this.#signal.removeEventListener("abort", look);
      for (const unsubscribe of this.#unsubscribe) unsubscribe();
    }
  }

  #follow(task: Task): void {
    this.#family.add(task);
    const events = task.events$.subscribe({
      next: ({ failure }) => {
        if (failure !== undefined) this.#abandon(failure);
        this.#look();
      },
      complete: () => {
        this.#family.delete(task);
        if (task === this.task) this.#ended.resolve();
        else this.#look();
      },
    });
    this.#unsubscribe.push(() => events.unsubscribe());
  }

  /** Synchronously: a parent must not record that its subtask ended, nor that it was cancelled. */
  #abandon(failure: Error): void {
    this.#failure ??= failure;
    this.#abandoned ??= this.#options.host.abandon(this.task.id, failure);
    // `untilIdle` rejects with the failure.
    this.#abandoned.catch(() => undefined);
  }

  get #working(): readonly Task[] {
    const { tasks } = this.#options.host;
    // The host no longer has one that failed.
    return [...this.#family].filter((task) => task.isWorking && tasks.get(task.id) === task);
  }

  #look(): void {
    this.#cancelIdle();
    if (!this.#isAwaited) return;
    if (this.#failure !== undefined) {
      this.#ended.resolve();
      return;
    }
    if (this.#signal.aborted) {
      if (this.#isWaiting) this.#ended.resolve();
      return;
    }
    if (!this.isIdle) return;
    const { clock, idleMs } = this.#options;
    this.#cancelIdle = clock.after(idleMs, () => {
      if (this.isIdle) this.#ended.resolve();
    });
  }
}
