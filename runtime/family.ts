import type { SubtaskPort } from "../actors/index.ts";
import type { Usage } from "../machines/task/index.ts";
import type { SubtaskEnd } from "../machines/tool-call/index.ts";
import type { JournalDriver } from "../store/index.ts";
import { FamilyUsage } from "./family-usage.ts";
import { beginSubtask, CANCELLED, type Elder, failedBy, firstEnd, type Nursery } from "./subtask.ts";
import type { Task } from "./task.ts";

/** How deep subtasks may be nested, unless a host says otherwise (L14). */
export const DEFAULT_SUBTASK_DEPTH = 5;

/** What a family needs of its host. */
export interface Household extends Nursery {
  readonly journal: (taskId: string) => JournalDriver;
  readonly depth: number;
  /** Told of what nobody else can be told. */
  tell(error: unknown, taskId: string): void;
}

/** What one task has of its family. */
export interface FamilyPort extends SubtaskPort {
  /** Closes the subtasks of this task that are open here, and resolves when none is any more. @throws JournalError */
  close(): Promise<void>;
  /** What its subtasks have used, and theirs. `children`: how many it has begun. @throws JournalError */
  usage(children: number): Promise<Usage>;
}

/**
 * The subtasks of a host's tasks. Each is a task of its own, with its own journal; a task waits for one at a time, whose
 * first end is what it gets, once (L16).
 */
export class Family {
  readonly #host: Household;
  readonly #usage: FamilyUsage;
  /** The subtask that a task waits for, by the task's id. */
  readonly #working = new Map<string, Task>();
  /** The ids of subtasks that are being begun. */
  readonly #begun = new Set<string>();
  readonly #runs = new Map<string, Set<Promise<unknown>>>();
  /** The open subtasks that are closed with a task, also those that nobody waits for, by that task's id. */
  readonly #kept = new Map<string, Set<Task>>();

  constructor(host: Household) {
    this.#host = host;
    this.#usage = new FamilyUsage(host);
  }

  /** Runs the subtasks of this task. */
  port(elder: Elder): FamilyPort {
    const { depth } = this.#host;
    return {
      ...(depthOf(elder) >= depth && { refusal: tooDeep(depth) }),
      run: (input, signal) => this.#track(elder.id, this.#run(elder, input, signal)),
      close: () => this.#closeChildren(elder.id),
      usage: (children) => this.#usage.ofChildren(elder, children),
    };
  }

  /** The open tasks from the one that no other waits for down to the one that waits for no other. */
  stack(id: string): readonly Task[] {
    let top = this.#host.tasks.get(id);
    for (let above = top; above !== undefined; above = this.#waitingFor(above)) top = above;
    const stack: Task[] = [];
    for (let task = top; task !== undefined; task = this.#working.get(task.id)) stack.push(task);
    return stack;
  }

  /** Called for each task that its host holds from now on. */
  add(task: Task): void {
    if (task.parent === undefined) return;
    const { taskId } = task.parent;
    this.#keep(taskId, task);
    if (this.#begun.has(task.id)) this.#working.set(taskId, task);
  }

  /** Called for each task that its host no longer holds. */
  forget(task: Task): void {
    this.#usage.forget(task);
    if (task.parent === undefined) return;
    for (const [keeper, kept] of this.#kept)
      if (kept.delete(task) && kept.size === 0) this.#kept.delete(keeper);
  }

  #keep(keeper: string, task: Task): void {
    this.#kept.set(keeper, (this.#kept.get(keeper) ?? new Set()).add(task));
  }

  #waitingFor(task: Task): Task | undefined {
    const { parent } = task;
    if (parent === undefined || this.#working.get(parent.taskId) !== task) return undefined;
    return this.#host.tasks.get(parent.taskId);
  }

  #track<T>(parentId: string, run: Promise<T>): Promise<T> {
    const runs = this.#runs.get(parentId) ?? new Set();
    this.#runs.set(parentId, runs);
    const tracked = run.finally(() => {
      runs.delete(tracked);
      if (runs.size === 0) this.#runs.delete(parentId);
    });
    runs.add(tracked);
    return tracked;
  }

  async #run(
    elder: Elder,
    input: Parameters<SubtaskPort["run"]>[0],
    signal: AbortSignal,
  ): Promise<SubtaskEnd> {
    const { childId } = input;
    this.#begun.add(childId);
    const begun = await beginSubtask(this.#host, elder, input).catch(failedBy);
    this.#begun.delete(childId);
    if ("kind" in begun) return begun;
    const { task } = begun;
    if (signal.aborted) {
      this.#working.delete(elder.id);
      await task.close();
      return CANCELLED;
    }
    this.#working.set(elder.id, task);
    // At once: what it shows next, such as its resume ask, is no affair of this stack any more.
    const onEnd = (): void => {
      this.#working.delete(elder.id);
    };
    const end = await firstEnd({ ...begun, journal: this.#host.journal, elder, input, signal, onEnd });
    if (signal.aborted) {
      await task.close();
      return end;
    }
    // Who cancelled it alone may go on with it: it stays open. Every other has nobody any more, but for those below it
    // that were cancelled alone.
    if (end.kind !== "cancelled") this.#passOn(task.id, elder.id);
    if (end.kind === "finished")
      await task.close().catch((error: unknown) => this.#host.tell(error, task.id));
    // The parent is told why it failed; that it can't be written to its end is the same again.
    else if (end.kind === "failed") await task.close().catch(() => undefined);
    return end;
  }

  #passOn(from: string, to: string): void {
    const kept = this.#kept.get(from) ?? [];
    this.#kept.delete(from);
    for (const task of kept) this.#keep(to, task);
  }

  async #closeChildren(parentId: string): Promise<void> {
    const runs = [...(this.#runs.get(parentId) ?? [])];
    const children = [...(this.#kept.get(parentId) ?? [])].map((task) => task.close());
    const ends = await Promise.allSettled([...runs, ...children]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
}

/** The id of a subtask is its parent's and a number behind a dot. */
const depthOf = ({ id, rootId }: Elder): number => id.slice(rootId.length).split(".").length - 1;

const tooDeep = (depth: number): string =>
  `Subtasks may be nested ${depth} deep (the limit \`subtaskDepth\`), and this task is at that depth. ` +
  "Do the work here, with the other tools.";
