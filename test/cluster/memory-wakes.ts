import type { WakeHandler, Wakes } from "../../ports/wakes.ts";

/** Keeps wakes in memory: at most one of a task that nobody works on. */
export class MemoryWakes implements Wakes {
  readonly later: [task: string, at: number][] = [];
  /** The errors of handlers that rejected. */
  readonly failures: unknown[] = [];
  readonly #waiting = new Set<string>();
  readonly #held = new Set<string>();
  readonly #stop = new AbortController();
  #handler: WakeHandler | undefined;

  async wake(taskId: string, at?: number): Promise<void> {
    if (at !== undefined) this.later.push([taskId, at]);
    else this.#waiting.add(taskId);
    this.#look();
  }

  async work(handler: WakeHandler) {
    this.#handler = handler;
    this.#look();
    return { stop: async () => this.#stop.abort() };
  }

  async close(): Promise<void> {}

  #look(): void {
    for (const task of this.#waiting) {
      if (this.#handler === undefined || this.#held.has(task)) continue;
      this.#waiting.delete(task);
      this.#held.add(task);
      void this.#handler(task, this.#stop.signal)
        .catch((error: unknown) => this.failures.push(error))
        .finally(() => {
          this.#held.delete(task);
          this.#look();
        });
    }
  }
}
