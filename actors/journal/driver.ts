export interface AppendOptions {
  /**
   * These lines begin the journal: refused with `JOURNAL_EXISTS` where it has lines already, so that a task
   * that is created can't write into the journal of another.
   */
  readonly first?: boolean;
}

/**
 * Where the records of one task are kept. All drivers pass one conformance suite.
 * Whatever fails rejects with a {@link JournalError}.
 */
export interface JournalDriver {
  /** Where it is, for messages. */
  readonly path: string;
  /**
   * Adds lines (each without its newline), in order; durable when it resolves. What is asked for while a
   * write is in flight is written together, next. When one fails, those that wait behind it fail with it, so
   * that no line is ever written behind a hole; what a failed write left behind is cut before the next one.
   */
  append(lines: readonly string[], options?: AppendOptions): Promise<void>;
  /** Its bytes from the beginning, in pieces. One that was never written has none. */
  read(): AsyncIterable<Uint8Array>;
  /** Keeps the first `length` bytes. */
  truncate(length: number): Promise<void>;
  /** Lets go of what an open journal holds. The next append takes it up again. */
  rest(): Promise<void>;
  /** Writes what was asked for and ends. Later appends are refused with `JOURNAL_CLOSED`. */
  close(): Promise<void>;
}
