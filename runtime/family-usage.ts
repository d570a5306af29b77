import type { Usage } from "../machines/task/index.ts";
import { addUsage, NO_USAGE } from "../machines/task/index.ts";
import { type JournalDriver, recallTask } from "../store/index.ts";
import type { Task } from "./task.ts";

interface Spent {
  readonly usage: Usage;
  /** How many subtasks it has begun. */
  readonly children: number;
}

interface Named {
  readonly id: string;
  readonly rootId: string;
}

/** What subtasks have used: of those that are open here, of those that were, and, from their journals, of the others. */
export class FamilyUsage {
  readonly #tasks: ReadonlyMap<string, Task>;
  readonly #journal: (taskId: string) => JournalDriver;
  /** Of closed subtasks, by root and id: a journal in memory is gone with its task. */
  readonly #spent = new Map<string, Map<string, Spent>>();

  constructor(host: {
    readonly tasks: ReadonlyMap<string, Task>;
    readonly journal: (taskId: string) => JournalDriver;
  }) {
    this.#tasks = host.tasks;
    this.#journal = host.journal;
  }

  /** Keeps what a subtask has used as long as who it worked for is open. */
  forget(task: Task): void {
    const { id, rootId, parent } = task;
    const isAsked = parent !== undefined && (this.#tasks.has(rootId) || this.#tasks.has(parent.taskId));
    if (!isAsked) this.#spent.delete(rootId);
    else
      this.#spent.set(rootId, (this.#spent.get(rootId) ?? new Map<string, Spent>()).set(id, spentBy(task)));
  }

  /** @throws JournalError */
  async ofChildren({ id, rootId }: Named, children: number): Promise<Usage> {
    let sum = NO_USAGE;
    for (let ordinal = 1; ordinal <= children; ordinal += 1) {
      const child = { id: `${id}.${ordinal}`, rootId };
      const spent = await this.#spentBy(child, id);
      if (spent === undefined) continue;
      sum = addUsage(addUsage(sum, spent.usage), await this.ofChildren(child, spent.children));
    }
    return sum;
  }

  async #spentBy({ id, rootId }: Named, parentId: string): Promise<Spent | undefined> {
    const open = this.#tasks.get(id);
    if (open?.parent?.taskId === parentId) return spentBy(open);
    const known = this.#spent.get(rootId)?.get(id);
    if (known !== undefined) return known;
    const recalled = await recallTask(this.#journal(id));
    if (recalled?.header.parent?.taskId !== parentId) return undefined;
    const { total = NO_USAGE, children = 0 } = recalled.memory.facts;
    return { usage: total, children };
  }
}

const spentBy = ({ snapshot: { context } }: Task): Spent => ({
  usage: context.total,
  children: context.children,
});
