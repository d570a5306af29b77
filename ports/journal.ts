/** Synchronous access to a journal, so that a call of a method can activate a passive task. */
export interface PassiveStorage {
  /** Save a copy of the state that the journal records, in place of the one before. If that fails, the one before stays. */
  save(content: Uint8Array): Promise<void>;
  /** The saved copy, or undefined if there is none. @throws JournalError */
  load(): Uint8Array | undefined;
  /**
   * The journal's bytes, for a copy that was lost or changed. Absent: only the driver can reach the copy, and keeps it until
   * the journal changes or closes. @throws JournalError
   */
  read?(): Uint8Array;
}

export interface AppendOptions {
  /**
   * Whether these lines begin the journal. Rejects with `JOURNAL_EXISTS` if it has lines already, so that a new task
   * cannot write into the journal of another.
   */
  readonly first?: boolean;
}

/** A place in a journal. `storage` identifies its storage: another journal in its place has another one. */
export interface JournalPlace {
  readonly storage: string;
  readonly bytes: number;
}

/** The bytes of a journal from a place on. */
export interface JournalGrowth {
  readonly from: JournalPlace;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Storage of one task's records. All drivers pass one conformance suite (`journalConformance`). Every failure rejects
 * with a `JournalError`.
 */
export interface JournalDriver {
  /** Location of the journal, for messages. */
  readonly path: string;
  /** Absent: tasks with this driver are never passivated. */
  readonly passive?: PassiveStorage;
  /**
   * Lock the journal for this driver until `close`: no other driver, in this process or another, can write to it.
   * Idempotent; `append` and `truncate` do it too. Own a journal before you read state to resume from: another owner
   * may have changed what was read before.
   *
   * @throws JournalError `JOURNAL_LOCKED`: names the owner (process, host, since when) and what to do.
   */
  own(): Promise<void>;
  /**
   * Append lines (each without its newline), in order; durable when it resolves. Appends that wait for a write in
   * flight share the next write. If a write fails, the appends that wait behind it fail too, so that the journal has no
   * gap; bytes left by a failed write are removed before the next one.
   */
  append(lines: readonly string[], options?: AppendOptions): Promise<void>;
  /** Read all bytes in chunks; a journal that was never written has none. Takes no lock and writes nothing. */
  read(): AsyncIterable<Uint8Array>;
  /**
   * Read the bytes after a place up to which the journal was read, or all bytes if it was replaced since or is shorter.
   * Takes no lock and writes nothing. Absent: a reader that follows the journal reads it again at each change.
   */
  readAfter?(place: JournalPlace): Promise<JournalGrowth>;
  /**
   * Remove everything after the first `length` bytes, and keep it in a new backup. Resolves with the location of the
   * backup once the backup, then the truncation, is durable.
   *
   * @throws JournalError `JOURNAL_CHANGED` if the journal has fewer bytes.
   */
  truncate(length: number): Promise<string>;
  /**
   * Whether a subtask of this task was deleted: a mark that lasts as long as this journal, so that the parent does not
   * create it again (L16). Absent: a subtask without a journal was never created.
   * @throws JournalError
   */
  hasDeleted?(subtaskId: string): Promise<boolean>;
  /**
   * Set the listener that is called when another owner may soon own the journal, because this one could not renew its
   * lease: effects must stop. The error says what to do. Absent: an owner stays the owner until it closes.
   */
  onLost?(listener: (error: Error) => void): void;
  /** Release the resources of an open journal, except its lock. The next append opens it again. */
  release(): Promise<void>;
  /**
   * Finish pending writes, release the lock and close. Later calls reject with `JOURNAL_CLOSED`, except reads.
   */
  close(): Promise<void>;
}
