export interface AppendOptions {
  /**
   * These lines begin the journal: refused with `JOURNAL_EXISTS` where it has lines already, so that a task
   * that is created can't write into the journal of another.
   */
  readonly first?: boolean;
}

/**
 * Where the records of one task are kept. All drivers pass one conformance suite (`journalConformance`).
 * Whatever fails rejects with a {@link JournalError}.
 */
export interface JournalDriver {
  /** Where it is, for messages. */
  readonly path: string;
  /**
   * Takes the journal for this driver until `close`: nobody else may write to it, in this process or another.
   * Asking again is fine; appending and cutting ask by themselves. Own a journal before you read what you go
   * on from: what is read before may be old when it is owned.
   *
   * @throws JournalError `JOURNAL_LOCKED`: says who holds it (process, host, since when) and what to do.
   */
  own(): Promise<void>;
  /**
   * Adds lines (each without its newline), in order; durable when it resolves. What is asked for while a
   * write is in flight is written together, next. When one fails, those that wait behind it fail with it, so
   * that no line is ever written behind a hole; what a failed write left behind is cut before the next one.
   */
  append(lines: readonly string[], options?: AppendOptions): Promise<void>;
  /** Its bytes from the beginning, in pieces. One that was never written has none. Owns and writes nothing. */
  read(): AsyncIterable<Uint8Array>;
  /**
   * Drops what stands behind the first `length` bytes and keeps it aside, never over what was kept before.
   * Resolves with the place where it is, once that is durable and then the cut is.
   *
   * @throws JournalError `JOURNAL_CHANGED` when it has fewer bytes.
   */
  cut(length: number): Promise<string>;
  /** Lets go of what an open journal holds, but for its ownership. The next append takes it up again. */
  rest(): Promise<void>;
  /**
   * Writes what was asked for, gives up the ownership and ends. What is asked for later is refused with
   * `JOURNAL_CLOSED`; reading is not.
   */
  close(): Promise<void>;
}
