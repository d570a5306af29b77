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
  readonly #unsubscribe: (() => void)[] = [];
  readonly #ended: Deferred = deferred();
  /** Aborted when the worker drains. */
  readonly #signal: AbortSignal;
  #cancelIdle = (): void => {};

  constructor(task: Task, signal: AbortSignal, options: OwnedTaskOptions) {
    this.task = task;
    this.#signal = signal;
    this.#options = options;
  }

  /** Whether neither the task nor a subtask works or waits for an answer. */
  get isIdle(): boolean {
    return this.#working.length === 0;
  }

  /** Whether the task and its subtasks only wait for answers. */
  get #isWaiting(): boolean {
    return this.#working.every(({ state }) => state.isWaitingForInput);
  }

  /**
   * Resolves when the task has been at rest for `idleMs`, or is closed. If the worker drains: at once if it is at rest or
   * waits for an answer, else when it does next.
   */
  async untilIdle(): Promise<void> {
    const look = (): void => this.#look();
    const follow = (task: Task): void => {
      const complete = task === this.task ? () => this.#ended.resolve() : look;
      const events = task.events$.subscribe({ next: look, complete });
      this.#unsubscribe.push(() => events.unsubscribe());
    };
    const opened = this.#options.host.opened$.subscribe((task) => {
      if (task.rootId === this.task.id) follow(task);
    });
    this.#signal.addEventListener("abort", look);
    this.#unsubscribe.push(
      () => opened.unsubscribe(),
      () => this.#signal.removeEventListener("abort", look),
    );
    for (const task of this.#family) follow(task);
    look();
    try {
      await this.#ended.promise;
    } finally {
      this.#cancelIdle();
      for (const unsubscribe of this.#unsubscribe) unsubscribe();
    }
  }

  get #family(): readonly Task[] {
    return [...this.#options.host.tasks.values()].filter(({ rootId }) => rootId === this.task.id);
  }

  get #working(): readonly Task[] {
    return this.#family.filter(({ isWorking }) => isWorking);
  }

  #look(): void {
    this.#cancelIdle();
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
