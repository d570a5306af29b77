import { homedir } from "node:os";
import path from "node:path";
import {
  type DeletedTasks,
  type DeleteOptions,
  deleteTask,
  type ForkedTask,
  type ForkOptions,
  findTask,
  forkTask,
  type ListOptions,
  listTasks,
  type RecordedTask,
  readTask,
  renameTask,
  summarizeTask,
  type TaskSummary,
  taskIds,
} from "../store/index.ts";

export interface TaskHistoryOptions {
  /** Where the journals lie. Default `~/.signalbox`. */
  readonly dataDir?: string;
}

/**
 * The tasks in a data folder: those that rest, those that were interrupted, and those that run, here or in another
 * process. Looking takes no lock and writes nothing (L11).
 */
export interface TaskHistory {
  /** Newest first. @throws TaskHistoryError `HISTORY_IO` */
  list(options?: Omit<ListOptions, "dataDir">): Promise<readonly TaskSummary[]>;
  /** The ids of all tasks, in no order: it costs next to nothing. @throws TaskHistoryError `HISTORY_IO` */
  ids(): Promise<readonly string[]>;
  /**
   * The id that is meant by its beginning.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `TASK_AMBIGUOUS`, `ID_INVALID`, `HISTORY_IO`
   */
  find(beginning: string): Promise<string>;
  /**
   * One task in short, as in the list: by a look at both ends of its journal.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
   */
  summary(id: string): Promise<TaskSummary>;
  /**
   * All of a task, up to where its journal is whole.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
   * @throws JournalError `JOURNAL_VERSION`, `JOURNAL_RECORD` and those of reading
   */
  read(id: string): Promise<RecordedTask>;
  /**
   * Gives a task a name of one line, at most 200 characters; an empty one gives it back its prompt. Also while it runs.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `NAME_INVALID`, `HISTORY_IO`
   */
  rename(id: string, name: string): Promise<void>;
  /**
   * Deletes a task for good.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
   * @throws JournalError `JOURNAL_LOCKED` while it is open in any process
   */
  delete(id: string, options?: DeleteOptions): Promise<DeletedTasks>;
  /**
   * A new task with the records of this one up to `at`. Open it with `host.open` to go on; the old one stays as it is.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `FORK_INVALID`, `TASK_EXISTS`, `ID_INVALID`, `HISTORY_IO`
   * @throws JournalError those of reading and writing
   */
  fork(id: string, options?: ForkOptions): Promise<ForkedTask>;
}

/**
 * The tasks on disk. A host whose journals are its own (`createHost({ journal })`) keeps none here.
 *
 * @example
 * ```ts
 * import { openHistory } from "signalbox";
 * const history = openHistory({ dataDir: "./tasks" });
 * for (const { id, title, state, cost } of await history.list({ workspace: ".", limit: 10 })) {
 *   console.log(id, state, `$${cost.toFixed(4)}`, title);
 * }
 * const [newest] = await history.list();
 * if (newest !== undefined) {
 *   const { rows } = await history.read(newest.id);
 *   const half = rows[Math.floor(rows.length / 2)];
 *   if (half !== undefined) await history.fork(newest.id, { at: half.seq });
 * }
 * ```
 */
export function openHistory({
  dataDir = path.join(homedir(), ".signalbox"),
}: TaskHistoryOptions = {}): TaskHistory {
  return {
    list: (options) => listTasks({ ...options, dataDir }),
    ids: () => taskIds(dataDir),
    find: (beginning) => findTask(dataDir, beginning),
    summary: (id) => summarizeTask(dataDir, id),
    read: (id) => readTask(dataDir, id),
    rename: (id, name) => renameTask(dataDir, id, name),
    delete: (id, options) => deleteTask(dataDir, id, options),
    fork: (id, options) => forkTask(dataDir, id, options),
  };
}
