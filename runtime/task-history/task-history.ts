import { homedir } from "node:os";
import path from "node:path";
import { type DeletedTasks, type DeleteOptions, deleteTask } from "../../store/task-history/deletion.ts";
import { type ForkedTask, type ForkOptions, forkTask } from "../../store/task-history/fork.ts";
import { findTask, taskIds } from "../../store/task-history/lookup.ts";
import { type RecordedTask, readTask } from "../../store/task-history/recorded-task.ts";
import type { TaskSummary } from "../../store/task-history/summary.ts";
import { type ListOptions, listTasks, summarizeTask } from "../../store/task-history/task-list.ts";
import { renameTask } from "../../store/task-history/title.ts";
import { type TaskWatcher, watchTasks } from "../../store/task-history/watch-tasks.ts";
import type { SearchHit } from "../../wire/http/search.ts";
import { searchTasks, type TaskSearch } from "./search.ts";

/** Options of the task history. */
export interface TaskHistoryOptions {
  /** Data directory of the journals. Default `~/.signalbox`. */
  readonly dataDir?: string;
}

/**
 * The tasks of a data directory: at rest, interrupted, or running in this or another process. Reading takes no lock
 * and writes nothing but the index of the list (L11).
 */
export interface TaskHistory {
  /** Summaries of the tasks, newest first. @throws TaskHistoryError `HISTORY_IO` */
  list(options?: Omit<ListOptions, "dataDir">): Promise<readonly TaskSummary[]>;
  /** The ids of all tasks, unordered; reads no journal. @throws TaskHistoryError `HISTORY_IO` */
  ids(): Promise<readonly string[]>;
  /**
   * Watch the tasks, also those that other processes write, until the returned function is called.
   * @throws TaskHistoryError `HISTORY_IO`
   */
  watch(watcher: TaskWatcher): () => void;
  /** The records of all tasks that contain a text, or call a tool, as they are found. At most 5 of each task. */
  search(search: TaskSearch): AsyncGenerator<SearchHit, void>;
  /**
   * The id that begins with this prefix.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `TASK_AMBIGUOUS`, `ID_INVALID`, `HISTORY_IO`
   */
  find(prefix: string): Promise<string>;
  /**
   * The summary of one task, read from both ends of its journal.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
   */
  summary(id: string): Promise<TaskSummary>;
  /**
   * The recorded task, up to the last complete record of its journal.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
   * @throws JournalError `JOURNAL_VERSION`, `JOURNAL_RECORD` and the codes of reading
   */
  read(id: string): Promise<RecordedTask>;
  /**
   * Rename a task, also while it runs: one line, at most 200 characters. An empty name restores the prompt as title.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `NAME_INVALID`, `HISTORY_IO`
   */
  rename(id: string, name: string): Promise<void>;
  /**
   * Delete a task permanently.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
   * @throws JournalError `JOURNAL_LOCKED` while it is open in any process
   */
  delete(id: string, options?: DeleteOptions): Promise<DeletedTasks>;
  /**
   * Create a task from the records of this one up to `at`. Continue it with `host.open`; the original is unchanged.
   * @throws TaskHistoryError `TASK_UNKNOWN`, `FORK_INVALID`, `TASK_EXISTS`, `ID_INVALID`, `HISTORY_IO`
   * @throws JournalError the codes of reading and writing
   */
  fork(id: string, options?: ForkOptions): Promise<ForkedTask>;
}

/**
 * Open the task history. A host with its own journals (`createHost({ journal })`) has none here.
 *
 * @example
 * ```ts
 * import { openHistory } from "signalbox";
 * const history = openHistory({ dataDir: "./tasks" });
 * for (const { id, title, state, cost } of await history.list({ workspace: ".", limit: 10 })) {
 *   console.log(id, state, cost === null ? "unknown" : `$${cost.toFixed(4)}`, title);
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
    watch: (watcher) => watchTasks(dataDir, watcher),
    search: (search) => searchTasks(dataDir, search),
    find: (prefix) => findTask(dataDir, prefix),
    summary: (id) => summarizeTask(dataDir, id),
    read: (id) => readTask(dataDir, id),
    rename: (id, name) => renameTask(dataDir, id, name),
    delete: (id, options) => deleteTask(dataDir, id, options),
    fork: (id, options) => forkTask(dataDir, id, options),
  };
}
