import type { JournalDriver } from "../../ports/journal.ts";
import type { HeaderRecord } from "../../wire/journal/record.ts";
import type { ListPosition, StoredFacts, TaskSummary } from "./summary.ts";
import type { TaskWatcher } from "./watch-tasks.ts";

/** The choice of the tasks to list. */
export interface ListOptions {
  /** Only tasks of this workspace. */
  readonly workspace?: string;
  /** Only tasks where each word of this text begins a word of the title, the id, the workspace or the mode. */
  readonly search?: string;
  /** Only tasks after this place in the list: the last task of the page before. */
  readonly after?: ListPosition;
  /** Maximum number of tasks, newest first. Default: all. */
  readonly limit?: number;
}

/** A task that no other process can open until it is closed. */
export interface HeldTask {
  /** Remove the task. `parentId`: mark it there as a deleted subtask, durably before it is gone (L16). */
  remove(parentId: string | undefined): Promise<void>;
  close(): Promise<void>;
}

/**
 * The store of the tasks: files or a database. The history derives everything else from the journals, in the same way
 * for both. Failures are a TaskHistoryError `HISTORY_IO`, and for an id that is no task's `ID_INVALID`.
 */
export interface HistoryStore {
  /** Where the tasks are, for messages. */
  readonly place: string;
  /** The name of that place in advice. */
  readonly kind: "data folder" | "database";
  journal(id: string): JournalDriver;
  /** The ids of all tasks, unordered; reads no journal. */
  ids(): Promise<readonly string[]>;
  /** The ids of the tasks that have a journal and whose ids begin with a text, unordered. */
  idsFrom(prefix: string): Promise<readonly string[]>;
  /** The size of a journal, in bytes; undefined if there is none. */
  bytes(id: string): Promise<number | undefined>;
  /** The header of a journal; undefined if there is none or it is invalid. */
  header(id: string): Promise<HeaderRecord | undefined>;
  /** The facts of a task that are stored beside its journal. */
  facts(id: string): Promise<StoredFacts>;
  /** The tasks as they are now, newest first. */
  list(options: ListOptions): Promise<readonly TaskSummary[]>;
  /** The summary of a task; undefined if there is none. */
  summary(id: string): Promise<TaskSummary | undefined>;
  /** The subtasks of a task, of any depth, parents first. */
  descendants(id: string): Promise<readonly string[]>;
  /** Name a task. Undefined: it has no name any longer. */
  rename(id: string, name: string | undefined): Promise<void>;
  /** Lock a task to remove it. @throws JournalError `JOURNAL_LOCKED` */
  hold(id: string): Promise<HeldTask>;
  /** Drop what is left of removed tasks. */
  removed(ids: readonly string[]): Promise<void>;
  /**
   * Create a fork, whole or not at all. Resolves with false if the id is taken. `root`: the task that was forked, or the root of
   * that subtask.
   */
  createFork(id: string, lines: AsyncIterable<readonly string[]>, root: string): Promise<boolean>;
  /** Watch the tasks until the returned function is called. */
  watch(watcher: TaskWatcher): () => void;
}
