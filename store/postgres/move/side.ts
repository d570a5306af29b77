import type { TaskObjects } from "../../../ports/objects.ts";

/** A journal that is locked while it is copied. */
export interface HeldJournal {
  /** Where it is, for messages. */
  readonly place: string;
  /** Where the task was moved from here; undefined if it is here. */
  readonly movedTo: string | undefined;
  read(): AsyncIterable<Uint8Array>;
  /** The objects of the task. */
  readonly objects: TaskObjects;
  /** The ids of the subtasks that were deleted. */
  deletedSubtasks(): Promise<readonly string[]>;
  /** The name that a user gave the task. */
  name(): Promise<string | undefined>;
  /** Copy the content, the marks and the name of `source`. The first `has` bytes are the same already. Durable when it resolves. */
  write(source: Pick<HeldJournal, "read" | "deletedSubtasks" | "name">, has: number): Promise<void>;
  /** Mark the task as moved to another place. */
  mark(place: string): Promise<void>;
  /** Remove that mark. */
  unmark(): Promise<void>;
  /** Release the lock. */
  close(): Promise<void>;
}

/** A journal that is read to find the checkpoints of its task. */
export interface TaskWithObjects extends Pick<HeldJournal, "place" | "read"> {
  /** Objects whose puts are compared. */
  readonly objects: TaskObjects;
}

/** Checkpoints that are in repositories of a place, not among the objects of their tasks. */
export interface CheckpointRepositories {
  /** Store the checkpoints of a task among its objects. Resolves with the reason why some are missing there. @throws ObjectError */
  store(task: TaskWithObjects): Promise<string | undefined>;
  /** Restore the checkpoints among the objects of a task in the repository. Resolves with the reason why it could not. */
  restore(task: TaskWithObjects): Promise<string | undefined>;
}

/** A place that has journals: a data folder, or a database. */
export interface JournalSide {
  readonly place: string;
  /** The ids of the tasks that have records. */
  ids(): AsyncIterable<string>;
  /** Lock the journal of a task, which may be new. @throws JournalError `JOURNAL_LOCKED` */
  hold(id: string): Promise<HeldJournal>;
  /** Absent: all checkpoints are among the objects. */
  readonly checkpoints?: CheckpointRepositories | undefined;
  /** Add a task that was moved here to the index of the task list. */
  index?(id: string): Promise<void>;
}
