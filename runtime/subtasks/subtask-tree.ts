import { filter, type Observable } from "rxjs";
import { unendedSubtasks } from "../../machines/task/background-subtasks.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { SubtaskEnd, SubtaskPort } from "../../ports/subtasks.ts";
import { TASK_ID_MAX_CHARS } from "../../wire/task-id.ts";
import type { Task } from "../task/task.ts";
import { AwaitedSubtasks } from "./awaited-subtasks.ts";
import {
  CANCELLED,
  openSubtask,
  type ParentTask,
  runSubtask,
  type SubtaskHost,
  type SubtaskInput,
  unopenedBy,
} from "./subtask.ts";
import { SubtreeUsage } from "./subtree-usage.ts";

/** Default nesting depth of subtasks (L14). */
export const DEFAULT_SUBTASK_DEPTH = 5;

/** The parts of its host that the tree uses. */
interface TreeHost extends SubtaskHost {
  readonly depth: number;
  /** Each task when it was opened, after `SubtaskTree.add`. */
  readonly opened$: Observable<Task>;
  readonly onError: (error: unknown, taskId: string) => void;
}

/** The subtasks of one task. */
export interface TaskSubtasks extends SubtaskPort {
  /** The open descendants of this task, in the order of their opening. */
  readonly open: readonly Task[];
  /** Each descendant when it is created or opened, from the subscription on. */
  readonly opened$: Observable<Task>;
  /** Cancel the open descendants of this task, synchronously. */
  cancel(): void;
  /** Close the open descendants of this task and resolve when all are closed. @throws JournalError */
  close(): Promise<void>;
  /** Usage of the first `children` subtasks and of their subtasks. @throws JournalError */
  usage(children: number): Promise<Usage>;
}

/**
 * The subtasks of a host's tasks. Each is a task with a journal of its own; a parent waits for several at once, and receives
 * the first outcome of each, once (L16).
 */
export class SubtaskTree {
  readonly #host: TreeHost;
  readonly #usage: SubtreeUsage;
  readonly #awaited = new AwaitedSubtasks();
  /** Ids of subtasks that are being opened. */
  readonly #opening = new Set<string>();
  readonly #runs = new Map<string, Set<Promise<unknown>>>();
  readonly #open = new OpenSubtasks();
  /** Ids of subtasks that are closed after their end: their own open subtasks, which no task waits for, continue. */
  readonly #ended = new Set<string>();

  constructor(host: TreeHost) {
    this.#host = host;
    this.#usage = new SubtreeUsage(host);
  }

  /** The port through which this task runs its subtasks. */
  port(parent: ParentTask): TaskSubtasks {
    return new TreePort(this, parent);
  }

  /** The reason why this task can't start a subtask. */
  unavailableTo(parent: ParentTask): string | undefined {
    const { depth } = this.#host;
    if (parent.options.control !== undefined) return CONTROLLED;
    if (depthOf(parent) >= depth) return tooDeep(depth);
    return parent.id.length + ORDINAL_CHARS > TASK_ID_MAX_CHARS ? TOO_LONG : undefined;
  }

  run(parent: ParentTask, input: SubtaskInput, signal: AbortSignal): Promise<SubtaskEnd> {
    return this.#track(parent.id, this.#run(parent, input, signal));
  }

  usage(parent: ParentTask, children: number): Promise<Usage> {
    return this.#usage.ofChildren(parent, children);
  }

  /**
   * The open tasks that wait for each other, from the one that no task waits for to the one that waits for none. Where a
   * task waits for several, the one with this id or above it follows, else the first that a person is asked about, else
   * the first.
   */
  stack(id: string): readonly Task[] {
    const above: Task[] = [];
    for (let task = this.#host.tasks.get(id); task !== undefined; task = this.#waitingParent(task))
      above.unshift(task);
    const last = above.at(-1);
    return last === undefined ? [] : [...above, ...this.#focusBelow(last)];
  }

  #focusBelow(task: Task): readonly Task[] {
    const awaited = this.#awaited.of(task.id);
    if (awaited.length === 0 || isAsked(task)) return [];
    const next =
      awaited.find((subtask) => this.#isAsking(subtask)) ??
      awaited.find((subtask) => !isBeside(subtask, task));
    return next === undefined ? [] : [next, ...this.#focusBelow(next)];
  }

  /** Whether a person is asked about the task, or about one that it waits for. */
  #isAsking(task: Task): boolean {
    return isAsked(task) || this.#awaited.of(task.id).some((subtask) => this.#isAsking(subtask));
  }

  /** Whether a parent waits for the task. */
  isAwaited(task: Task): boolean {
    return this.#awaited.has(task);
  }

  /** Whether a pause of its parent pauses the task: one in the background may work while its parent rests. */
  isPausedWithParent(task: Task): boolean {
    return this.#waitingParent(task)?.hasWork === true;
  }

  /** Add a task that was opened. */
  add(task: Task): void {
    this.#open.add(task);
    if (this.#opening.has(task.id)) this.#awaited.add(task);
  }

  /** Remove a task that was closed. */
  remove(task: Task): void {
    this.#usage.remove(task);
    this.#open.remove(task);
  }

  /** The open descendants of a task. */
  openBelow(parent: Pick<Task, "id" | "rootId">): readonly Task[] {
    return this.#open.below(parent);
  }

  openedBelow(parent: ParentTask): Observable<Task> {
    return this.#host.opened$.pipe(filter((task) => isBelow(task, parent)));
  }

  /** Cancel the open descendants of a task. Those that it waits for are cancelled by the stop of their actors already. */
  cancelBelow(parent: ParentTask): void {
    for (const task of this.#endingWith(parent)) if (task.isOpen && task.isWorking) task.cancelFor("parent");
  }

  /** The open tasks that a cancel or a close of this one also ends. */
  #endingWith(parent: ParentTask): readonly Task[] {
    return this.#ended.has(parent.id) ? [] : this.#open.below(parent);
  }

  #waitingParent(task: Task): Task | undefined {
    const { parent } = task;
    if (parent === undefined || !this.isAwaited(task)) return undefined;
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

  async #run(parent: ParentTask, input: SubtaskInput, signal: AbortSignal): Promise<SubtaskEnd> {
    const { childId } = input;
    this.#opening.add(childId);
    const opened = await openSubtask(this.#host, parent, input).catch(unopenedBy);
    this.#opening.delete(childId);
    if ("kind" in opened) return opened;
    const { task } = opened;
    const { journal, tasks } = this.#host;
    const waiting = tasks.get(parent.id);
    if (signal.aborted || waiting === undefined) {
      this.#awaited.remove(parent.id, childId);
      await task.closeFor("parent");
      return CANCELLED;
    }
    this.#awaited.add(task);
    // Synchronously: what the subtask shows next, such as its resume ask, is outside of this stack.
    const onEnd = () => this.#awaited.remove(parent.id, childId);
    const outcome = await runSubtask({ ...opened, waiting, journal, parent, input, signal, onEnd });
    if (signal.aborted) {
      await task.close();
      return outcome;
    }
    // A subtask that was cancelled by itself stays open: a user may resume it.
    if (outcome.kind === "cancelled" || staysOpen(task, outcome)) return outcome;
    this.#ended.add(task.id);
    await task.close().catch((error: unknown) => {
      // The parent receives the reason of the failure; an error of closing has the same one.
      if (outcome.kind === "finished") this.#host.onError(error, task.id);
    });
    this.#ended.delete(task.id);
    return outcome;
  }

  async closeBelow(parent: ParentTask): Promise<void> {
    const runs = [...(this.#runs.get(parent.id) ?? [])];
    const closing = this.#endingWith(parent).map((task) => task.closeFor("parent"));
    const ends = await Promise.allSettled([...runs, ...closing]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
}

/** Whether a subtask has not ended, and has others in its background: a close would cancel them (law PAUSE). */
const staysOpen = ({ snapshot }: Task, { kind }: SubtaskEnd): boolean =>
  (kind === "paused" || kind === "unavailable") && unendedSubtasks(snapshot.context).length > 0;

/** Whether a person is asked about the task itself. A running command needs no answer. */
const isAsked = (task: Task): boolean => task.asks.some(({ kind }) => kind !== "command_output");

/** Whether the subtask works in the background: its parent goes on, or takes a message that ends its wait. */
const isBeside = (subtask: Task, { snapshot: { context } }: Task): boolean =>
  context.backgroundSubtasks.some(({ childId }) => childId === subtask.id);

class TreePort implements TaskSubtasks {
  readonly #tree: SubtaskTree;
  readonly #parent: ParentTask;

  constructor(tree: SubtaskTree, parent: ParentTask) {
    this.#tree = tree;
    this.#parent = parent;
  }

  get unavailable(): string | undefined {
    return this.#tree.unavailableTo(this.#parent);
  }

  run(input: SubtaskInput, signal: AbortSignal): Promise<SubtaskEnd> {
    return this.#tree.run(this.#parent, input, signal);
  }

  get open(): readonly Task[] {
    return this.#tree.openBelow(this.#parent);
  }

  get opened$(): Observable<Task> {
    return this.#tree.openedBelow(this.#parent);
  }

  cancel(): void {
    this.#tree.cancelBelow(this.#parent);
  }

  close(): Promise<void> {
    return this.#tree.closeBelow(this.#parent);
  }

  usage(children: number): Promise<Usage> {
    return this.#tree.usage(this.#parent, children);
  }
}

/** A subtask's id is its parent's id, a dot and a number. */
const depthOf = ({ id, rootId }: ParentTask): number => id.slice(rootId.length).split(".").length - 1;

/** The dot and the number that a subtask adds to the id of its parent. */
const ORDINAL_CHARS = 7;

/** The state of a protocol is of one task: a subtask would have budgets of its own. */
const CONTROLLED =
  "A control protocol controls this task, and it starts no subtasks. Do the work here, with the other tools.";
const TOO_LONG = `The id of this task is too long for a subtask: at most ${TASK_ID_MAX_CHARS} characters, and a subtask adds ${ORDINAL_CHARS}. Do the work here, with the other tools.`;

const tooDeep = (depth: number): string =>
  `Subtasks may be nested ${depth} deep (the limit \`subtaskDepth\`), and this task is at that depth. ` +
  "Do the work here, with the other tools.";

/** The open subtasks of a host, by their root. */
export class OpenSubtasks {
  readonly #byRoot = new Map<string, Set<Task>>();

  add(task: Task): void {
    if (task.parent === undefined) return;
    const { rootId } = task;
    this.#byRoot.set(rootId, (this.#byRoot.get(rootId) ?? new Set()).add(task));
  }

  remove(task: Task): void {
    const tasks = this.#byRoot.get(task.rootId);
    if (tasks?.delete(task) && tasks.size === 0) this.#byRoot.delete(task.rootId);
  }

  /** The open descendants of a task, in the order of their opening. The tasks between need not be open. */
  below(task: Pick<Task, "id" | "rootId">): readonly Task[] {
    return [...(this.#byRoot.get(task.rootId) ?? [])].filter((open) => isBelow(open, task));
  }
}

/** Whether a task is a descendant of another: a subtask's id is its parent's id, a dot and a number. */
export const isBelow = (task: Pick<Task, "id" | "rootId">, above: Pick<Task, "id" | "rootId">): boolean =>
  task.rootId === above.rootId && task.id.startsWith(`${above.id}.`);
