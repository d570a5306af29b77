/** Tasks whose emitted messages are remembered (L14). */
const REMEMBERED_TASKS = 100;

/** The emitted messages of each task: none is emitted twice. */
export class SeenMessages {
  readonly #of = new Map<string, Set<string>>();

  /** Add a key; returns whether it is new. */
  add(taskId: string | undefined, key: string): boolean {
    const seen = this.#set(taskId ?? "");
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  /** Forget a task. */
  delete(taskId: string | undefined): void {
    this.#of.delete(taskId ?? "");
  }

  clear(): void {
    this.#of.clear();
  }

  #set(taskId: string): Set<string> {
    const seen = this.#of.get(taskId) ?? new Set();
    // Move the task to the end: the least recently used one is removed first.
    this.#of.delete(taskId);
    this.#of.set(taskId, seen);
    for (const oldest of this.#of.keys()) {
      if (this.#of.size <= REMEMBERED_TASKS) break;
      this.#of.delete(oldest);
    }
    return seen;
  }
}
