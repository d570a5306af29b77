import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import { fileJournal, systemClock } from "../actors/index.ts";
import { HostError } from "./errors.ts";
import type { HostOptions, ReopenOptions, TaskOptions } from "./host-options.ts";
import { openTask, type Surroundings } from "./open-task.ts";
import { expectHostOptions, expectReopenOptions, expectTaskOptions } from "./options.ts";
import { reopen } from "./reopen.ts";
import type { Task } from "./task.ts";

/** Holds the tasks of a process: each a root actor of its own, with its own journal. */
export interface Host {
  readonly tasks: ReadonlyMap<string, Task>;
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
  /** Closes a task and forgets it. One that isn't here is closed already. @throws JournalError */
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
  const journal = options.journal ?? ((taskId) => fileJournal({ dir: path.join(dataDir, "tasks", taskId) }));
  let closed = false;

  const surroundings = (id: string): Surroundings => ({
    ...options,
    newId,
    dataDir,
    driver: journal(id),
    folder: path.join(dataDir, "tasks", id),
    onBroken: () => tasks.delete(id),
  });
  const close = async (taskId: string): Promise<void> => {
    const task = tasks.get(taskId);
    await task?.close().finally(() => tasks.delete(taskId));
  };
  /** One opening of an id at a time. */
  const opened = (id: string, make: () => Promise<Task>): Promise<Task> => {
    if (closed) throw hostClosed();
    if (tasks.has(id) || opening.has(id)) throw taskExists(id);
    const made = make()
      .then((task) => {
        tasks.set(id, task);
        return task;
      })
      .finally(() => opening.delete(id));
    opening.set(id, made);
    return made;
  };
  const goOn = async (id: string, taskOptions: ReopenOptions): Promise<Task> => {
    const around = surroundings(id);
    try {
      const { past, recalled, dropped } = await reopen(
        id,
        around.driver,
        journal,
        options.clock ?? systemClock,
      );
      const { header, lastSeq } = recalled;
      const workspace = taskOptions.workspace ?? header.workspace ?? ".";
      const { parent } = header;
      const task = await openTask(
        id,
        { ...taskOptions, workspace },
        {
          ...around,
          ...(parent !== undefined && { parent }),
          reopened: { past, lastSeq, ...(dropped !== undefined && { dropped }) },
        },
      );
      await task.flushed();
      return task;
    } catch (error) {
      await around.driver.close();
      throw error;
    }
  };
  return {
    tasks,
    async create(taskOptions) {
      expectTaskOptions(taskOptions);
      const id = taskOptions.id ?? newId();
      return opened(id, () => openTask(id, taskOptions, surroundings(id)));
    },
    async open(taskId, taskOptions) {
      expectReopenOptions(taskId, taskOptions);
      return opened(taskId, () => goOn(taskId, taskOptions));
    },
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
