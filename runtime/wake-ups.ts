import { waitUntil } from "../actors/protocol/wait-until.ts";
import type { Clock } from "../ports/clock.ts";

/** The due times of the tasks at rest that a host has open. One timer serves all tasks. */
export class WakeUps {
  readonly #clock: Clock;
  readonly #wake: (taskId: string) => void;
  /** The next due time of each task. */
  readonly #times = new Map<string, number>();
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;

  /** @param wake Called with each task whose time has come, once for each time that is set. */
  constructor(clock: Clock, wake: (taskId: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Set the next due time of a task, in milliseconds since 1970; undefined: it has none. */
  set(taskId: string, at: number | undefined): void {
    if (at === undefined) this.#times.delete(taskId);
    else this.#times.set(taskId, at);
    if (this.#times.size === 0) this.#stop();
    else if (at !== undefined && at < (this.#timer?.at ?? Number.POSITIVE_INFINITY)) this.#start(at);
  }

  #start(at: number): void {
    this.#stop();
    this.#timer = { at, cancel: waitUntil(this.#clock, at, () => this.#fire()) };
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    const due: string[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [taskId, at] of this.#times) {
      if (at <= now) due.push(taskId);
      else next = Math.min(next, at);
    }
    for (const taskId of due) this.#times.delete(taskId);
    if (this.#times.size > 0) this.#start(next);
    for (const taskId of due) this.#wake(taskId);
  }
}
