import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import { replayJournal } from "../../store/recovery/replay.ts";
import type { Task } from "../task/task.ts";
import type { ParentTask, SubtaskHost } from "./subtask.ts";

interface SubtaskUsage {
  readonly usage: Usage;
  /** The number of subtasks it has started. */
  readonly children: number;
}

type TaskIdentity = Pick<ParentTask, "id" | "rootId">;

/** Usage of subtasks: of open ones, of ones that were open here, and, from their journals, of others. */
export class SubtreeUsage {
  readonly #host: Pick<SubtaskHost, "tasks" | "journal">;
  /** Usage of closed subtasks, by root and id: a journal in memory ends with its task. */
  readonly #closed = new Map<string, Map<string, SubtaskUsage>>();

  constructor(host: Pick<SubtaskHost, "tasks" | "journal">) {
    this.#host = host;
  }

  /** Keep the usage of a closed subtask while its parent or root is open. */
  remove(task: Task): void {
    const { id, rootId, parent } = task;
    const { tasks } = this.#host;
    if (parent === undefined || !(tasks.has(rootId) || tasks.has(parent.taskId))) {
      this.#closed.delete(rootId);
      return;
    }
    const closed = this.#closed.get(rootId) ?? new Map<string, SubtaskUsage>();
    this.#closed.set(rootId, closed.set(id, usageOf(task)));
  }

  /** Usage of this many children and of their subtasks. @throws JournalError */
  async ofChildren({ id, rootId }: TaskIdentity, children: number): Promise<Usage> {
    let sum = NO_USAGE;
    for (let ordinal = 1; ordinal <= children; ordinal += 1) {
      const child = { id: `${id}.${ordinal}`, rootId };
      const used = await this.#usageOf(child, id);
      if (used === undefined) continue;
      sum = addUsage(addUsage(sum, used.usage), await this.ofChildren(child, used.children));
    }
    return sum;
  }

  async #usageOf({ id, rootId }: TaskIdentity, parentId: string): Promise<SubtaskUsage | undefined> {
    const open = this.#host.tasks.get(id);
    if (open?.parent?.taskId === parentId) return usageOf(open);
    const closed = this.#closed.get(rootId)?.get(id);
    if (closed !== undefined) return closed;
    const replayed = await replayJournal(this.#host.journal(id));
    if (replayed?.header.parent?.taskId !== parentId) return undefined;
    const { total = NO_USAGE, children = 0 } = replayed.recorded.facts;
    return { usage: total, children };
  }
}

const usageOf = ({ snapshot: { context } }: Task): SubtaskUsage => ({
  usage: context.total,
  children: context.children,
});
