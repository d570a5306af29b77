/** Tasks whose rows are remembered as told (L14); of one that comes back later, all are told again. */
const REMEMBERED_TASKS = 100;

/** What was told of each task, so that nothing is told twice, whatever is pushed again. */
export class SeenMessages {
  readonly #of = new Map<string, Set<string>>();

  /** Whether this is told for the first time; notes that it was. */
  first(taskId: string | undefined, what: string): boolean {
    const told = this.#set(taskId ?? "");
    if (told.has(what)) return false;
    told.add(what);
    return true;
  }

  /** Its rows count as new again. */
  forget(taskId: string | undefined): void {
    this.#of.delete(taskId ?? "");
  }

  clear(): void {
    this.#of.clear();
  }

  #set(taskId: string): Set<string> {
    const told = this.#of.get(taskId) ?? new Set();
    // The task that was spoken of last is forgotten last.
    this.#of.delete(taskId);
    this.#of.set(taskId, told);
    for (const oldest of this.#of.keys()) {
      if (this.#of.size <= REMEMBERED_TASKS) break;
      this.#of.delete(oldest);
    }
    return told;
  }
}
