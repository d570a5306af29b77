import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import { Observable, Subject } from "rxjs";
import { systemClock } from "../actors/index.ts";
import { fileJournal, type JournalDriver, taskFolder } from "../store/index.ts";
import { HostError } from "./errors.ts";
import { DEFAULT_SUBTASK_DEPTH, Family } from "./family.ts";
import type { HostOptions, ReopenOptions, TaskOptions } from "./host-options.ts";
import { openTask, type Surroundings, throwAtProcess } from "./open-task.ts";
import { expectHostOptions, expectReopenOptions, expectTaskOptions } from "./options.ts";
import { reopen } from "./reopen.ts";
import type { Task } from "./task.ts";

/** Holds the tasks of a process: each a root actor of its own, with its own journal. */
export interface Host {
  /** The tasks that are open here, subtasks too, by their ids. */
  readonly tasks: ReadonlyMap<string, Task>;
  /** Each task as it is created or opened, subtasks too, before it does anything; from the subscription on. */
  readonly opened$: Observable<Task>;
  /**
   * A new task, that has yet to be run.
   * @throws HostError `OPTION_INVALID` naming the option; `TASK_EXISTS` for an id that is open here; `HOST_CLOSED`
   * @throws ToolError if the workspace is no folder, or two tools have one name
   */
  create(options: TaskOptions): Promise<Task>;
  /**
   * Opens a task from its journal, to go on with it: what the end of its process left open is closed, and it rests on
   * its one resume ask (L11, L12). Resolves when that is durable.
   * @throws HostError `TASK_UNKNOWN`; `TASK_DAMAGED` where the journal can only be read; `TASK_EXISTS` for one that
   * is open here; `OPTION_INVALID`; `HOST_CLOSED`
   * @throws JournalError `JOURNAL_LOCKED` while another process has it; those of reading and writing
   * @throws ToolError if the workspace is no folder any more
   */
  open(taskId: string, options: ReopenOptions): Promise<Task>;
  /**
   * The tasks of which each waits for the next, topmost first: where `taskId` stands among them does not matter. A
   * subtask that nobody waits for any more begins a stack of its own. Of a task that is not open here it is empty.
   */
  stack(taskId: string): readonly Task[];
  /** The last of that stack: the task that is at work, and that a person deals with now. */
  focus(taskId: string): Task | undefined;
  /** Closes a task with its subtasks and forgets it. One that isn't here is closed already. @throws JournalError */
  close(taskId: string): Promise<void>;
  /** Closes all tasks, also those that are being created; no more are taken. @throws JournalError of the first that failed */
  closeAll(): Promise<void>;
}

/**
 * A host with its defaults: tasks journaled to files, the built-in tools, reads allowed, the rest asked about.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * const host = createHost({ dataDir: "./tasks" });
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-5-5" }), workspace: "." });
 * task.asks$.subscribe((ask) => {
 *   if (ask.kind === "tool" || ask.kind === "command") ask.approve();
 * });
 * const { state, result, cost } = await task.run("Make the tests pass");
 * ```
 * @throws HostError `OPTION_INVALID`
 */
export function createHost(options: HostOptions = {}): Host {
  expectHostOptions(options);
  const dataDir = options.dataDir ?? path.join(homedir(), ".signalbox");
  const newId = options.newId ?? randomUUID;
  const tasks = new Map<string, Task>();
  const opening = new Map<string, Promise<Task>>();
  const journal = options.journal ?? ((taskId) => fileJournal({ dir: taskFolder(dataDir, taskId) }));
  let closed = false;

  const opened$ = new Subject<Task>();

  const surroundings = (
    id: string,
    driver: JournalDriver,
    taskOptions: TaskOptions,
    parent: Surroundings["parent"],
  ): Surroundings => ({
    ...options,
    newId,
    dataDir,
    driver,
    folder: taskFolder(dataDir, id),
    onEnd: () => {
      const task = tasks.get(id);
      tasks.delete(id);
      if (task !== undefined) family.forget(task);
    },
    ...(parent !== undefined && { parent }),
    family: family.port({ id, rootId: parent?.rootId ?? id, options: taskOptions }),
  });
  const close = async (taskId: string): Promise<void> => {
    await tasks.get(taskId)?.close();
  };
  /** One opening of an id at a time. */
  const opened = async (id: string, make: () => Promise<Task>): Promise<Task> => {
    if (closed) throw hostClosed();
    if (tasks.has(id) || opening.has(id)) throw taskExists(id);
    const made = make()
      .then((task) => {
        tasks.set(id, task);
        family.add(task);
        opened$.next(task);
        return task;
      })
      .finally(() => opening.delete(id));
    opening.set(id, made);
    return made;
  };
  const create = (id: string, taskOptions: TaskOptions, parent?: Surroundings["parent"]): Promise<Task> =>
    opened(id, () => openTask(id, taskOptions, surroundings(id, journal(id), taskOptions, parent)));
  const goOn = async (id: string, given: ReopenOptions): Promise<Task> => {
    const driver = journal(id);
    try {
      const { past, recalled, dropped } = await reopen(id, driver, journal, options.clock ?? systemClock);
      const { header, lastSeq } = recalled;
      const taskOptions = { ...given, workspace: given.workspace ?? header.workspace ?? "." };
      const task = await openTask(id, taskOptions, {
        ...surroundings(id, driver, taskOptions, header.parent),
        reopened: { past, lastSeq, ...(dropped !== undefined && { dropped }) },
      });
      await task.flushed();
      return task;
    } catch (error) {
      await driver.close();
      throw error;
    }
  };
  const open = (id: string, given: ReopenOptions): Promise<Task> => opened(id, () => goOn(id, given));
  const family = new Family({
    tasks,
    journal,
    create,
    open,
    depth: options.subtaskDepth ?? DEFAULT_SUBTASK_DEPTH,
    tell: options.onError ?? throwAtProcess,
  });
  return {
    tasks,
    opened$: new Observable((subscriber) => opened$.subscribe(subscriber)),
    async create(taskOptions) {
      expectTaskOptions(taskOptions);
      return create(taskOptions.id ?? newId(), taskOptions);
    },
    async open(taskId, taskOptions) {
      expectReopenOptions(taskId, taskOptions);
      return open(taskId, taskOptions);
    },
    stack: (taskId) => family.stack(taskId),
    focus: (taskId) => family.stack(taskId).at(-1),
    close,
    async closeAll() {
      closed = true;
      await Promise.allSettled(opening.values());
      const ends = await Promise.allSettled([...tasks.keys()].map(close));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}

const hostClosed = (): HostError =>
  new HostError("HOST_CLOSED", "This host was closed: it takes no more tasks. Make a new one.");

const taskExists = (id: string): HostError =>
  new HostError("TASK_EXISTS", `Task ${id} is open in this host: use that one, or another id.`);
