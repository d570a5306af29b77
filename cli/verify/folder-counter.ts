import type { taskMachine } from "../../machines/task/task.machine.ts";
import { JournalError } from "../../store/journal/error.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { hasJournal, taskIds } from "../../store/task-history/lookup.ts";
import { isTaskId, taskFolder } from "../../store/task-history/task-folder.ts";
import { type RecordedCounts, TransitionCounter } from "./transition-counter.ts";

/** Counts the transitions of the tasks of a data folder, also while processes write them. */
export class FolderCounter {
  readonly #dataDir: string;
  readonly #counter: TransitionCounter;
  /** The end of the last call: only one call at a time reads a journal. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string, machine: typeof taskMachine) {
    this.#dataDir = dataDir;
    this.#counter = new TransitionCounter(machine);
  }

  /**
   * Count what the changed tasks recorded since the last call, or all tasks. Resolves with the counts of all. A journal
   * that can't be read is a damaged one.
   * @throws TaskHistoryError `HISTORY_IO`
   */
  count(changed?: readonly string[]): Promise<RecordedCounts> {
    const counts = this.#last.then(() => this.#count(changed));
    this.#last = Promise.allSettled([counts]);
    return counts;
  }

  async #count(changed: readonly string[] | undefined): Promise<RecordedCounts> {
    const all = changed ?? [...(await taskIds(this.#dataDir)), ...this.#counter.names];
    // The folder may have files that belong to no task.
    for (const id of new Set(all)) if (isTaskId(id)) await this.#countTask(id);
    return this.#counter.counts;
  }

  async #countTask(id: string): Promise<void> {
    const folder = taskFolder(this.#dataDir, id);
    if (!(await hasJournal(folder))) return this.#counter.remove(id);
    try {
      await this.#counter.add(id, () => fileJournal({ dir: folder }));
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#counter.addDamaged(id);
    }
  }
}
