import type { Clock } from "../ports/clock.ts";

/** A task that can release its actors. */
export interface Passivatable {
  /** Release the actors if nothing works for the task but its ask. Resolves with whether it did. */
  passivate(): Promise<boolean>;
}

export interface ResidentsOptions<T> {
  readonly clock: Clock;
  /** Time without a use after which a task is passivated. */
  readonly passivateAfterMs: number;
  /** Tasks that keep their actors at once; beyond, those that were used least recently are passivated. */
  readonly maxResident: number;
  readonly onError: (error: unknown, task: T) => void;
}

/** The tasks of a host that have actors, and when they are released. One timer serves all tasks. */
export class Residents<T extends Passivatable> {
  readonly #options: ResidentsOptions<T>;
  readonly #tasks = new Set<T>();
  /** Time of the last use of each task that may be passivated, oldest first. */
  readonly #uses = new Map<T, number>();
  /** Passivations that have not ended. */
  #passivations = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ResidentsOptions<T>) {
    this.#options = options;
  }

  /** Record a use of a task that has actors: it was opened, activated, settled or accessed. */
  use(task: T): void {
    this.#tasks.add(task);
    this.#uses.delete(task);
    this.#uses.set(task, this.#options.clock.now());
    this.#limit();
    this.#arm();
  }

  /** Remove a task that was passivated or has ended. */
  remove(task: T): void {
    this.#tasks.delete(task);
    this.#uses.delete(task);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#uses.clear();
  }

  #limit(): void {
    for (const task of this.#uses.keys()) {
      if (this.#tasks.size - this.#passivations <= this.#options.maxResident) return;
      this.#passivate(task);
    }
  }

  #arm(): void {
    const { clock, passivateAfterMs } = this.#options;
    const [oldest] = this.#uses.values();
    if (this.#cancelTimer !== undefined || oldest === undefined) return;
    const delay = Math.max(0, oldest + passivateAfterMs - clock.now());
    this.#cancelTimer = clock.after(delay, () => this.#sweep(), { keepsAlive: false });
  }

  #sweep(): void {
    this.#cancelTimer = undefined;
    const { clock, passivateAfterMs } = this.#options;
    const deadline = clock.now() - passivateAfterMs;
    for (const [task, usedAt] of this.#uses) {
      if (usedAt > deadline) break;
      this.#passivate(task);
    }
    this.#arm();
  }

  /** A task that can't be passivated now is looked at again after its next use. */
  #passivate(task: T): void {
    this.#uses.delete(task);
    this.#passivations += 1;
    task
      .passivate()
      .catch((error: unknown) => this.#options.onError(error, task))
      .finally(() => {
        this.#passivations -= 1;
      });
  }
}
