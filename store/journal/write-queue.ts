import type { AppendOptions } from "./driver.ts";
import { closedError, type JournalError, toJournalError } from "./error.ts";

export interface TurnsOptions {
  readonly path: string;
  /** Writes lines; durable when it resolves. `first`: they must begin the journal. */
  readonly write: (lines: readonly string[], first: boolean) => Promise<void>;
  /** Cleans up after a turn that failed. */
  readonly abandon: () => Promise<void>;
}

/**
 * The turns of a driver: one thing at a time, in the order asked for. Lines that wait for their turn are
 * written together; when a write fails, those that waited behind it fail with it.
 */
export class Turns {
  readonly #options: TurnsOptions;
  #closed = false;
  #waiting: string[] = [];
  /** What waits begins the journal. */
  #first = false;
  #next: Promise<void> | undefined;
  /** Why the writes that waited behind a failed one fail too. */
  #hole: JournalError | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    if (this.#closed) return this.#refuse();
    this.#first ||= options?.first === true;
    for (const line of lines) this.#waiting.push(line);
    this.#next ??= this.inTurn(() => this.#write());
    return this.#next;
  }

  /** Waits for its turn; refused once the driver was closed. */
  take<T>(act: () => Promise<T>): Promise<T> {
    return this.#closed ? this.#refuse() : this.inTurn(act);
  }

  /** Lets what was asked for have its turn, then this, and refuses all that is asked for later. */
  close(act: () => Promise<void>): Promise<void> {
    this.#closed = true;
    return this.inTurn(act);
  }

  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      try {
        return await act();
      } catch (error) {
        throw await this.#abandon(error);
      }
    });
    this.#last = done.then(ignore, ignore);
    return done;
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    const first = this.#first;
    const hole = this.#hole;
    this.#waiting = [];
    this.#first = false;
    this.#next = undefined;
    this.#hole = undefined;
    if (hole !== undefined) throw hole;
    if (lines.length > 0) await this.#options.write(lines, first);
  }

  async #abandon(error: unknown): Promise<JournalError> {
    const problem = toJournalError(this.#options.path, error);
    // The turn's own error is the one to tell; cleaning up after it can add nothing.
    await this.#options.abandon().catch(ignore);
    if (this.#next !== undefined) this.#hole = problem;
    return problem;
  }

  #refuse(): Promise<never> {
    return Promise.reject(closedError(this.#options.path));
  }
}

const ignore = (): void => {};
