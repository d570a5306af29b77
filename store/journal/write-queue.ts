import type { AppendOptions } from "./driver.ts";
import { closedError, type JournalError, toJournalError } from "./error.ts";

export interface WriteQueueOptions {
  readonly path: string;
  /** Write lines; durable when it resolves. `first`: they must begin the journal. */
  readonly write: (lines: readonly string[], first: boolean) => Promise<void>;
  /** Clean up after an operation that failed. */
  readonly cleanUp: () => Promise<void>;
}

/**
 * The operations of a driver, one at a time, in order. Lines that wait are written together; if a write fails, the
 * appends that wait behind it fail too.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #closed = false;
  #waiting: string[] = [];
  /** Whether the waiting lines begin the journal. */
  #first = false;
  #next: Promise<void> | undefined;
  /** The error of the failed write that the waiting lines stand behind. */
  #previousError: JournalError | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    if (this.#closed) return this.#reject();
    this.#first ||= options?.first === true;
    for (const line of lines) this.#waiting.push(line);
    this.#next ??= this.enqueue(() => this.#write());
    return this.#next;
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
    const done = this.#last.then(async () => {
      try {
        return await operation();
      } catch (error) {
        throw await this.#fail(error);
      }
    });
    this.#last = done.then(ignore, ignore);
    return done;
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    const first = this.#first;
    const previousError = this.#previousError;
    this.#waiting = [];
    this.#first = false;
    this.#next = undefined;
    this.#previousError = undefined;
    if (previousError !== undefined) throw previousError;
    if (lines.length > 0) await this.#options.write(lines, first);
  }

  async #fail(error: unknown): Promise<JournalError> {
    const problem = toJournalError(this.#options.path, error);
    // The error of the operation is the one to report, not that of the cleanup.
    await this.#options.cleanUp().catch(ignore);
    if (this.#next !== undefined) this.#previousError = problem;
    return problem;
  }

  #reject(): Promise<never> {
    return Promise.reject(closedError(this.#options.path));
  }
}

const ignore = (): void => {};
