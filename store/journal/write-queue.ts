import type { AppendOptions } from "../../ports/journal.ts";
import { closedError, type JournalError, toJournalError } from "./error.ts";

/** The journal that a {@link WriteQueue} writes to. */
export interface WriteTarget {
  readonly path: string;
  /** Write lines; durable when it resolves. `first`: they must begin the journal. */
  write(lines: readonly string[], first: boolean): Promise<void>;
  /** Clean up after an operation that failed. */
  cleanUp(): Promise<void>;
}

/** Lines that wait for one write. */
interface WaitingLines {
  readonly lines: string[];
  /** Whether they begin the journal. */
  first: boolean;
  /** The error of the failed write that they stand behind. */
  previousError: JournalError | undefined;
  readonly written: Promise<void>;
}

/**
 * The operations of a driver, one at a time, in order. Lines that wait are written together; if a write fails, the
 * appends that wait behind it fail too.
 */
export class WriteQueue {
  readonly #target: WriteTarget;
  #closed = false;
  #waiting: WaitingLines | undefined;
  /** The end of the last operation, while one runs or waits. */
  #last: Promise<void> | undefined;

  constructor(target: WriteTarget) {
    this.#target = target;
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    if (this.#closed) return this.#reject();
    this.#waiting ??= {
      lines: [],
      first: false,
      previousError: undefined,
      written: this.enqueue(() => this.#write()),
    };
    this.#waiting.first ||= options?.first === true;
    for (const line of lines) this.#waiting.lines.push(line);
    return this.#waiting.written;
  }

  /** Enqueue an operation; rejects after `close`. */
  run<T>(operation: () => Promise<T>): Promise<T> {
    return this.#closed ? this.#reject() : this.enqueue(operation);
  }

  /** Enqueue the last operation. */
  close(operation: () => Promise<void>): Promise<void> {
    this.#closed = true;
    return this.enqueue(operation);
  }

  enqueue<T>(operation: () => Promise<T>): Promise<T> {
    const done = (this.#last ?? Promise.resolve()).then(async () => {
      try {
        return await operation();
      } catch (error) {
        throw await this.#fail(error);
      }
    });
    const release = (): void => {
      if (this.#last === last) this.#last = undefined;
    };
    const last = done.then(release, release);
    this.#last = last;
    return done;
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    const { lines, first, previousError } = waiting;
    if (previousError !== undefined) throw previousError;
    if (lines.length > 0) await this.#target.write(lines, first);
  }

  async #fail(error: unknown): Promise<JournalError> {
    const problem = toJournalError(this.#target.path, error);
    // The error of the operation is the one to report, not the error of the cleanup.
    await this.#target.cleanUp().catch(() => undefined);
    if (this.#waiting !== undefined) this.#waiting.previousError = problem;
    return problem;
  }

  #reject(): Promise<never> {
    return Promise.reject(closedError(this.#target.path));
  }
}
