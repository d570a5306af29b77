/** A journal that is locked while it is copied. */
export interface HeldJournal {
  /** Where it is, for messages. */
  readonly place: string;
  /** Where the task was moved from here; undefined if it is here. */
  readonly movedTo: string | undefined;
  read(): AsyncIterable<Uint8Array>;
  /** The ids of the subtasks that were deleted. */
  deletedSubtasks(): Promise<readonly string[]>;
  /** Copy the content and the marks of `source`. The first `has` bytes are the same already. Durable when it resolves. */
  write(source: Pick<HeldJournal, "read" | "deletedSubtasks">, has: number): Promise<void>;
  /** Mark the task as moved to another place. */
  mark(place: string): Promise<void>;
  /** Remove that mark. */
  unmark(): Promise<void>;
  /** Release the lock. */
  close(): Promise<void>;
}

/** A place that has journals: a data folder, or a database. */
export interface JournalSide {
  readonly place: string;
  /** The ids of the tasks that have records. */
  ids(): AsyncIterable<string>;
  /** Lock the journal of a task, which may be new. @throws JournalError `JOURNAL_LOCKED` */
  hold(id: string): Promise<HeldJournal>;
}
