import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { Task } from "../../runtime/task/task.ts";

/** The usage of subtasks in earlier runs: their tasks are not opened in this one. */
export class EarlierUsage {
  #usage: Usage = NO_USAGE;
  readonly #opened = new Set<string>();

  get usage(): Usage {
    return this.#usage;
  }

  /** Note a task that this run opens. A root adds what its subtasks used; of an opened subtask that is taken off. */
  opened(task: Task): void {
    if (this.#opened.has(task.id)) return;
    this.#opened.add(task.id);
    const own = negative(task.snapshot.context.total);
    if (task.parent !== undefined) this.#add(own);
    else
      task.totalUsage().then(
        (total) => this.#add(addUsage(total, own)),
        // Without a journal that can be read, the usage of this run is shown.
        () => undefined,
      );
  }

  #add(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }
}

const negative = ({ tokensIn, tokensOut, cacheWrites, cacheReads, cost }: Usage): Usage => ({
  tokensIn: -tokensIn,
  tokensOut: -tokensOut,
  cacheWrites: -cacheWrites,
  cacheReads: -cacheReads,
  cost: cost === null ? null : -cost,
});
