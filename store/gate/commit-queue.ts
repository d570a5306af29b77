import type { JournalDriver } from "../../ports/journal.ts";
import { closedError, JournalError, toJournalError } from "../journal/error.ts";
import { completes, type PublishedCommit, unwrittenCommit } from "./commit.ts";
import type { Publisher } from "./publisher.ts";
import type { TaskSnapshot } from "./task-actor.ts";

/** A line to write, then a commit to publish, then effects to start. */
export interface Entry<TSnapshot> {
  /** Number of its record, or of the newest one before it. */
  readonly seq: number;
  /** Absent if nothing is recorded. */
  readonly line?: string;
  /** Called once the line is durable, also by a closing gate. */
  readonly onDurable?: () => void;
  /** Absent if nothing is published. */
  readonly publication?: Publication<TSnapshot>;
  readonly effects: readonly (() => void)[];
  /** Settled once the entry is durable, or its write failed. */
  waiter?: Waiter | undefined;
  isPublished: boolean;
}

type Publication<TSnapshot> = Pick<PublishedCommit<TSnapshot>, "commit" | "snapshot" | "moves">;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

/** A line that is written together with the first record. */
interface FirstLine {
  readonly line: string;
  /** Whether it begins a new journal. */
  readonly isHeader: boolean;
}

/** The gate of a {@link CommitQueue}. */
export interface CommitQueueOwner<TSnapshot extends TaskSnapshot> {
  readonly driver: JournalDriver;
  readonly publisher: Publisher<TSnapshot>;
  readonly maxBacklog: number;
  /**
   * Bring the task to rest; the resulting commits are enqueued when it returns. `losesCompletion`: a completion is among
   * the commits that are not written.
   */
  onFailed(error: JournalError, losesCompletion: boolean): void;
  /** The backlog exceeds twice its limit: the task did not come to rest. */
  onOverrun(error: JournalError): void;
  /** The queue is empty. */
  onIdle(): void;
  /** Schedule the write of the waiting entries. */
  readonly scheduleWrite: (write: () => void) => void;
}

/**
 * The order of the gate (L11). Entries are written in order, one batch at a time; a durable batch is published and its
 * effects start. An entry without a line waits only for earlier entries. After a failed write the backlog stays, and is
 * written before newer entries.
 */
export class CommitQueue<TSnapshot extends TaskSnapshot> {
  readonly #owner: CommitQueueOwner<TSnapshot>;
  #first: FirstLine | undefined;
  /** In flight, or durable and being published. */
  #batch: readonly Entry<TSnapshot>[] | undefined;
  #waiting: Entry<TSnapshot>[] = [];
  #flushes: Waiter[] = [];
  #failed = false;
  #isSettling = false;
  #isScheduled = false;
  #isOverLimit = false;
  /** `closed`: it starts no effects. `abandoned`: it also writes nothing more. */
  #state: "open" | "closed" | "abandoned" = "open";

  constructor(owner: CommitQueueOwner<TSnapshot>, first?: FirstLine) {
    this.#owner = owner;
    this.#first = first;
  }

  enqueue(entry: Entry<TSnapshot>): void {
    if (this.#state === "abandoned") {
      this.#drop([entry]);
      return;
    }
    if (entry.line === undefined && this.isEmpty) {
      this.#publish(entry);
      return;
    }
    this.#waiting.push(entry);
    if (this.#isSettling) return;
    this.#checkBacklog();
    this.#schedule();
  }

  /** Write the waiting entries. Resolves once all are durable and published; rejects if a write fails. */
  flush(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#flushes.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Flush for the last time. Only the caller is notified of a failure. */
  close(): Promise<void> {
    if (this.#state === "open") this.#state = "closed";
    return this.flush();
  }

  /** Drop the waiting entries, and each that follows: the journal ends with what is written, as if the process had ended. */
  abandon(): void {
    this.#state = "abandoned";
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#drop(waiting);
  }

  /** Bring the task to rest as a failed write does: the driver lost the journal. */
  lose(error: unknown): void {
    this.#fail(toJournalError(this.#owner.driver.path, error));
  }

  /** Whether all entries are durable and published. */
  get isEmpty(): boolean {
    return this.#batch === undefined && this.#waiting.length === 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#batch !== undefined || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#owner.scheduleWrite(() => {
      this.#isScheduled = false;
      this.#writeBatch();
    });
  }

  #writeBatch(): void {
    if (this.#batch !== undefined || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#batch = batch;
    void this.#write(batch);
  }

  async #write(batch: readonly Entry<TSnapshot>[]): Promise<void> {
    const first = this.#first;
    const lines = first === undefined ? [] : [first.line];
    for (const { line } of batch) if (line !== undefined) lines.push(line);
    try {
      if (lines.length > 0) await this.#owner.driver.append(lines, { first: first?.isHeader === true });
    } catch (error) {
      this.#batch = undefined;
      if (this.#state === "abandoned") this.#drop(batch);
      else this.#waiting = [...batch, ...this.#waiting];
      this.#fail(toJournalError(this.#owner.driver.path, error));
      return;
    }
    this.#first = undefined;
    this.#failed = false;
    // The batch stays in place until its last entry is published: commits that a listener causes wait behind it.
    for (const entry of batch) {
      if (entry.onDurable !== undefined) this.#owner.publisher.start([entry.onDurable]);
      this.#publish(entry);
    }
    this.#batch = undefined;
    if (this.isEmpty) this.#finish();
    else this.#schedule();
  }

  #publish(entry: Entry<TSnapshot>): void {
    if (entry.publication !== undefined && !entry.isPublished) {
      entry.isPublished = true;
      this.#owner.publisher.publish({ ...entry.publication, seq: entry.seq, durable: true });
    }
    // A closing gate starts no effects: their results could not be recorded.
    if (this.#state === "open") this.#owner.publisher.start(entry.effects);
    entry.waiter?.resolve();
  }

  #drop(entries: readonly Entry<TSnapshot>[]): void {
    const error = closedError(this.#owner.driver.path);
    for (const { waiter } of entries) waiter?.reject(error);
  }

  #finish(): void {
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const { resolve } of flushes) resolve();
    this.#owner.onIdle();
  }

  #fail(error: JournalError): void {
    const hasFailed = this.#failed;
    this.#failed = true;
    for (const entry of this.#waiting) {
      entry.waiter?.reject(error);
      entry.waiter = undefined;
    }
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const { reject } of flushes) reject(error);
    if (!hasFailed || this.#unpublished.length > 0) this.#settle(error);
  }

  #settle(error: JournalError): void {
    if (this.#state !== "open") return;
    this.#isSettling = true;
    this.#owner.onFailed(
      error,
      this.#unpublished.some(({ publication }) => publication !== undefined && completes(publication.commit)),
    );
    this.#isSettling = false;
    this.#publishBacklog(error);
  }

  /** Publish the unwritten commits as one commit, the only one that is not durable. */
  #publishBacklog(failure: JournalError): void {
    const pending = this.#unpublished;
    const last = pending.at(-1);
    const [first, ...others] = pending.flatMap(({ publication }) =>
      publication === undefined ? [] : [publication.commit],
    );
    if (first === undefined || last?.publication === undefined) return;
    for (const entry of pending) entry.isPublished = true;
    const { snapshot } = last.publication;
    const moves = pending.flatMap(({ publication }) => publication?.moves ?? []);
    const commit = unwrittenCommit([first, ...others], snapshot.context.log);
    this.#owner.publisher.publish({ commit, seq: last.seq, durable: false, failure, snapshot, moves });
  }

  get #unpublished(): readonly Entry<TSnapshot>[] {
    return [...(this.#batch ?? []), ...this.#waiting].filter(isUnpublished);
  }

  /** Report a backlog over the limit as a failure of the journal (L14). */
  #checkBacklog(): void {
    const { maxBacklog, driver } = this.#owner;
    const size = (this.#batch?.length ?? 0) + this.#waiting.length;
    if (size <= maxBacklog || this.#isOverLimit) return;
    const problem = `Expected at most ${maxBacklog} waiting commits (maxBacklog), found ${size}. Check that the disk keeps up.`;
    const error = new JournalError("JOURNAL_BACKLOG", driver.path, problem);
    if (size > 2 * maxBacklog) {
      this.#owner.onOverrun(error);
      return;
    }
    this.#isOverLimit = true;
    // The task can only be notified after the current macrostep.
    queueMicrotask(() => {
      this.#isOverLimit = false;
      this.#settle(error);
    });
  }
}

const isUnpublished = <TSnapshot>({ publication, isPublished }: Entry<TSnapshot>): boolean =>
  publication !== undefined && !isPublished;
