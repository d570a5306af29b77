import type { SearchHit } from "../../wire/http/search.ts";
import type { OwnFiles } from "../../wire/own-files.ts";
import { type DeletedTasks, type DeleteOptions, deleteTask } from "./deletion.ts";
import { type ForkedTask, type ForkOptions, forkTask } from "./fork.ts";
import type { HistoryStore, ListOptions } from "./history-store.ts";
import { findTask, unknownTask } from "./lookup.ts";
import { type RecordedTask, readTask } from "./recorded-task.ts";
import type { TaskSearch } from "./search.ts";
import type { TaskSummary } from "./summary.ts";
import { renameTask } from "./title.ts";
import type { TaskWatcher } from "./watch-tasks.ts";

/**
 * The tasks of a data directory or a database: at rest, interrupted, or running in this or another process. Reading takes
 * no lock and writes nothing but the index of the list (L11).
 */
export interface TaskHistory {
  /** Summaries of the tasks, newest first. @throws TaskHistoryError `HISTORY_IO` */
  list(options?: ListOptions): Promise<readonly TaskSummary[]>;
  /** The ids of all tasks, unordered; reads no journal. @throws TaskHistoryError `HISTORY_IO` */
  ids(): Promise<readonly string[]>;
  /** Returns whether a task has exactly this id; reads no journal. @throws TaskHistoryError `ID_INVALID`, `HISTORY_IO` */
  has(id: string): Promise<boolean>;
  /**
   * Watch the tasks, also those that other processes write, until the returned function is called.
   * @throws TaskHistoryError `HISTORY_IO`
   */
  watch(watcher: TaskWatcher): () => void;
  /**
   * The records of all tasks that contain a text, or call a tool, as they are found. At most 5 of each task, and 2,000 in
   * all; in a database the newest tasks first, for at most 10 seconds.
   */
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
   * The files of those tasks that work or worked in a worktree or copy, by task: whether they are merged or declined, by whom
   * and when. A data folder keeps that: a database has none.
   */
  ownFiles(ids: readonly string[]): Promise<ReadonlyMap<string, OwnFiles>>;
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

/** The history of the tasks in a store. `parts`: how that store finds records, and the files of tasks. */
export function historyOf(store: HistoryStore, parts: Pick<TaskHistory, "search" | "ownFiles">): TaskHistory {
  return {
    list: (options = {}) => store.list(options),
    ids: () => store.ids(),
    has: async (id) => (await store.bytes(id)) !== undefined,
    watch: (watcher) => store.watch(watcher),
    ...parts,
    find: (prefix) => findTask(store, prefix),
    async summary(id) {
      const summary = await store.summary(id);
      if (summary === undefined) throw unknownTask(store, id);
      return summary;
    },
    read: (id) => readTask(store, id),
    rename: (id, name) => renameTask(store, id, name),
    delete: (id, options) => deleteTask(store, id, options),
    fork: (id, options) => forkTask(store, id, options),
  };
}
