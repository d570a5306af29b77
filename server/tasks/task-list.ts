import { topState } from "../../machines/message/states.ts";
import { unendedSubtasks } from "../../machines/task/background-subtasks.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TaskPools } from "../../ports/pools.ts";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { TaskHistoryError } from "../../store/task-history/error.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import type { TaskInfo } from "../../wire/http/api.ts";
import { isCancel } from "../../wire/rest-reason.ts";
import type { ServerBounds } from "../bounds.ts";
import type { OwnerRequests } from "../workers/owner-requests.ts";
import type { TaskFiles } from "./task-files.ts";
import { type Origin, openTaskInfo, originOf, recordedInfo, summaryInfo } from "./task-info.ts";

export interface TaskListOptions {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly files: TaskFiles;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "listMs" | "listTasks">;
  /** The tasks that other processes have open. Absent: none. */
  readonly elsewhere: Pick<OwnerRequests, "info" | "openTasks"> | undefined;
  /** The pools of tasks that workers run. Absent: there are none. */
  readonly pools: Pick<TaskPools, "poolsOf"> | undefined;
  readonly onError: (error: unknown) => void;
}

/** Characters of a prompt that serve as a title. */
const TITLE_CHARS_MAX = 100;

/** Called for each task that changed, with its info as JSON. */
export type TaskListener = (taskId: string, json: string) => void;

interface OpenTask {
  readonly task: Task;
  updatedAt: number;
  /** Whether a person ended its work. Undefined before the first commit since it was opened: its summary has it. */
  isCancelled?: boolean;
  origin?: Promise<Origin>;
}

/** All tasks, open or not, and their changes. Changes are collected, and formatted once for all listeners. */
export class TaskList {
  readonly #options: TaskListOptions;
  readonly #open = new Map<string, OpenTask>();
  readonly #listeners = new Set<TaskListener>();
  readonly #changed = new Set<string>();
  /** The last notice to the listeners, by task. */
  readonly #notified = new Map<string, string>();
  readonly #opened: { unsubscribe(): void };
  #cancelTimer: (() => void) | undefined;
  /** While there are listeners: what other processes write. */
  #unwatch: (() => void) | undefined;

  constructor(options: TaskListOptions) {
    this.#options = options;
    for (const task of options.host.tasks.values()) this.#add(task);
    this.#opened = options.host.opened$.subscribe((task) => this.#add(task));
  }

  /** The newest tasks, the last changed first. @throws TaskHistoryError `HISTORY_IO` */
  async all(): Promise<readonly TaskInfo[]> {
    const tasks = new Map<string, TaskInfo>();
    const { history, bounds, elsewhere } = this.#options;
    for (const summary of await history.list({ limit: bounds.listTasks }))
      tasks.set(summary.id, summaryInfo(summary));
    for (const info of (await elsewhere?.openTasks()) ?? []) tasks.set(info.id, info);
    for (const info of await this.open()) tasks.set(info.id, info);
    return (await this.#withFacts([...tasks.values()])).sort(
      (a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1),
    );
  }

  /** The tasks that are open here. */
  open(): Promise<readonly TaskInfo[]> {
    return Promise.all([...this.#open.values()].map((open) => this.#openInfo(open)));
  }

  /** @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO` @throws JournalError the codes of reading */
  async get(taskId: string): Promise<TaskInfo> {
    const { history, elsewhere } = this.#options;
    const open = this.#open.get(taskId);
    const info =
      open === undefined
        ? ((await elsewhere?.info(taskId)) ?? recordedInfo(await history.read(taskId)))
        : await this.#openInfo(open);
    const [found = info] = await this.#withFacts([info]);
    return found;
  }

  /** The tasks with their files and pools. */
  async #withFacts(tasks: readonly TaskInfo[]): Promise<TaskInfo[]> {
    const ids = tasks.map(({ id }) => id);
    const { history, pools } = this.#options;
    const [ownFiles, poolsOf] = await Promise.all([history.ownFiles(ids), pools?.poolsOf(ids)]);
    return tasks.map((info) => {
      const [files, pool] = [ownFiles.get(info.id), poolsOf?.get(info.id)];
      return { ...info, ...(files !== undefined && { files }), ...(pool !== undefined && { pool }) };
    });
  }

  /** @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO` if there is no such task */
  async assertExists(taskId: string): Promise<void> {
    const { history } = this.#options;
    if (this.#open.has(taskId) || (await history.has(taskId))) return;
    await history.summary(taskId);
  }

  /** Call `listener` for each change, until the returned function is called. */
  onChange(listener: TaskListener): () => void {
    this.#listeners.add(listener);
    // Tasks that are open here are marked by their commits as well: other processes merge their files.
    this.#unwatch ??= this.#options.files.onChange((taskId) => this.#mark(taskId));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#notified.clear();
      this.#stopWatching();
    };
  }

  /** A task was renamed or created. */
  changed(taskId: string): void {
    delete this.#open.get(taskId)?.origin;
    this.#mark(taskId);
  }

  close(): void {
    this.#opened.unsubscribe();
    this.#cancelTimer?.();
    this.#listeners.clear();
    this.#stopWatching();
  }

  #stopWatching(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #add(task: Task): void {
    const { clock } = this.#options;
    const open: OpenTask = { task, updatedAt: clock.now() };
    this.#open.set(task.id, open);
    task.events$.subscribe({
      next: ({ commit }) => {
        open.updatedAt = commit.cause?.at ?? open.updatedAt;
        const [before, after] = [topState(commit.before), topState(commit.after)];
        if (before !== after) open.isCancelled = isCancel(after, commit.cause);
        this.#mark(task.id);
      },
      complete: () => {
        if (this.#open.get(task.id) === open) this.#open.delete(task.id);
        this.#mark(task.id);
      },
    });
    task.breakpoints.held$.subscribe(() => this.#mark(task.id));
    this.#mark(task.id);
  }

  #mark(taskId: string): void {
    if (this.#listeners.size === 0) return;
    this.#changed.add(taskId);
    const { clock, bounds, onError } = this.#options;
    this.#cancelTimer ??= clock.after(bounds.listMs, () => {
      this.#notify()
        .catch(onError)
        .finally(() => {
          this.#cancelTimer = undefined;
          const [next] = this.#changed;
          if (next !== undefined) this.#mark(next);
        });
    });
  }

  async #notify(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const taskId of changed) {
      const json = JSON.stringify(await ifKnown(this.get(taskId)));
      if (json === undefined || this.#notified.get(taskId) === json) continue;
      this.#notified.set(taskId, json);
      for (const listener of this.#listeners) listener(taskId, json);
    }
  }

  async #openInfo(open: OpenTask): Promise<TaskInfo> {
    const { task } = open;
    // A task without messages has nothing on disk.
    if (task.log.length > 0) open.origin ??= this.#readOrigin(task);
    const { isCancelled: wasCancelled, ...origin } = await (open.origin ?? this.#originInMemory(task));
    const isCancelled = task.state.state === "resumable" && (open.isCancelled ?? wasCancelled === true);
    return {
      ...openTaskInfo(task, origin, open.updatedAt),
      ...(isCancelled && { isCancelled }),
      ...(this.#isBeside(task) && { isBeside: true }),
    };
  }

  #isBeside({ id, parent }: Task): boolean {
    const above = parent === undefined ? undefined : this.#open.get(parent.taskId)?.task;
    return (
      above !== undefined && unendedSubtasks(above.snapshot.context).some(({ childId }) => childId === id)
    );
  }

  async #readOrigin(task: Task): Promise<Origin> {
    const summary = await ifKnown(this.#options.history.summary(task.id));
    return summary === undefined ? this.#originInMemory(task) : originOf(summary);
  }

  #originInMemory({ workspace, parent, log, title }: Task): Origin {
    const first = log.at(0);
    return {
      title: title ?? (first?.text ?? "").trimStart().split("\n", 1).join("").slice(0, TITLE_CHARS_MAX),
      createdAt: first?.ts ?? this.#options.clock.now(),
      workspace,
      ...(parent !== undefined && { parentId: parent.taskId }),
    };
  }
}

/** Undefined for a task that is not on disk: it was never started, or its host has its own journals. */
const ifKnown = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: unknown) => {
    if (error instanceof TaskHistoryError && error.code === "TASK_UNKNOWN") return undefined;
    throw error;
  });
