import { type JournalDriver, JournalError, toJournalError } from "../journal/index.ts";
import { type Commit, mergeCommits } from "./commit.ts";
import type { Stage } from "./publisher.ts";

/** One step through the gate: what to write, then what to show, then what to start. */
export interface Entry<TSnapshot> {
  /** Its record, or the newest one before it. */
  readonly seq: number;
  /** Absent where nothing is recorded. */
  readonly line?: string;
  /** Absent where nothing is shown. */
  readonly view?: View<TSnapshot>;
  readonly starts: readonly (() => void)[];
  /** Who waits for it to be durable. */
  waiter?: Waiter | undefined;
  shown: boolean;
}

interface View<TSnapshot> {
  readonly commit: Commit;
  readonly snapshot: TSnapshot;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

export interface PipelineOptions<TSnapshot> {
  readonly driver: JournalDriver;
  /** The first line of a journal that has none yet: written together with the first record. */
  readonly header: string | undefined;
  readonly stage: Stage<TSnapshot>;
  readonly maxBacklog: number;
  /** Brings the task to rest; what that decides has been put in when it returns. */
  readonly onFailed: (error: JournalError) => void;
  /** The backlog has twice the size it may have: the task did not rest. */
  readonly onOverrun: (error: JournalError) => void;
  /** Nothing waits any more. */
  readonly onIdle: () => void;
  /** When to cut a batch of what waits. */
  readonly gather: (cut: () => void) => void;
}

/**
 * The order of the gate (L11). Entries are written in order, one batch at a time; a batch that is durable is
 * shown and its effects start. What needs no writing waits only for what came before it. After a failed
 * write the backlog stays, and is written before anything newer.
 */
export class Pipeline<TSnapshot> {
  readonly #options: PipelineOptions<TSnapshot>;
  #header: string | undefined;
  /** In flight, or durable and being shown. */
  #batch: readonly Entry<TSnapshot>[] | undefined;
  #waiting: Entry<TSnapshot>[] = [];
  #flushes: Waiter[] = [];
  #failed = false;
  #resting = false;
  #gathering = false;
  #overfull = false;
  #closed = false;

  constructor(options: PipelineOptions<TSnapshot>) {
    this.#options = options;
    this.#header = options.header;
  }

  put(entry: Entry<TSnapshot>): void {
    if (entry.line === undefined && this.#isEmpty()) {
      this.#present(entry);
      return;
    }
    this.#waiting.push(entry);
    if (this.#resting) return;
    this.#bound();
    this.#pump();
  }

  /** Tries to write what waits. Resolves when all of it is durable and shown; rejects when that fails. */
  flush(): Promise<void> {
    if (this.#isEmpty()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#flushes.push({ resolve, reject });
      this.#pump();
    });
  }

  /** A last flush. A failure is told to nobody but the caller. */
  close(): Promise<void> {
    this.#closed = true;
    return this.flush();
  }

  #isEmpty(): boolean {
    return this.#batch === undefined && this.#waiting.length === 0;
  }

  #pump(): void {
    if (this.#gathering || this.#batch !== undefined || this.#waiting.length === 0) return;
    this.#gathering = true;
    this.#options.gather(() => {
      this.#gathering = false;
      this.#cut();
    });
  }

  #cut(): void {
    if (this.#batch !== undefined || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#batch = batch;
    void this.#write(batch);
  }

  async #write(batch: readonly Entry<TSnapshot>[]): Promise<void> {
    const lines = this.#header === undefined ? [] : [this.#header];
    for (const { line } of batch) if (line !== undefined) lines.push(line);
    try {
      if (lines.length > 0) await this.#options.driver.append(lines, { first: this.#header !== undefined });
    } catch (error) {
      this.#batch = undefined;
      this.#waiting = [...batch, ...this.#waiting];
      this.#fail(toJournalError(this.#options.driver.path, error));
      return;
    }
    this.#header = undefined;
    this.#failed = false;
    // Until the last of them is shown the batch stays in place: what a listener sets off waits behind it.
    for (const entry of batch) this.#present(entry);
    this.#batch = undefined;
    if (this.#isEmpty()) this.#idle();
    else this.#pump();
  }

  #present(entry: Entry<TSnapshot>): void {
    if (entry.view !== undefined && !entry.shown) {
      entry.shown = true;
      this.#options.stage.show({ ...entry.view, seq: entry.seq, durable: true });
    }
    // What a closing gate holds back stays unbegun: nobody would record how it ended.
    if (!this.#closed) this.#options.stage.start(entry.starts);
    entry.waiter?.resolve();
  }

  #idle(): void {
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const { resolve } of flushes) resolve();
    this.#options.onIdle();
  }

  #fail(error: JournalError): void {
    const again = this.#failed;
    this.#failed = true;
    for (const entry of this.#waiting) {
      entry.waiter?.reject(error);
      entry.waiter = undefined;
    }
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const { reject } of flushes) reject(error);
    if (!again || this.#waiting.some(isHidden)) this.#bringToRest(error);
  }

  #bringToRest(error: JournalError): void {
    if (this.#closed) return;
    this.#resting = true;
    this.#options.onFailed(error);
    this.#resting = false;
    this.#showRest();
  }

  /** The one commit that is shown without being durable: the sum of all that is not. */
  #showRest(): void {
    const hidden = [...(this.#batch ?? []), ...this.#waiting].filter(isHidden);
    const last = hidden.at(-1);
    const [first, ...others] = hidden.flatMap(({ view }) => (view === undefined ? [] : [view.commit]));
    if (first === undefined || last?.view === undefined) return;
    for (const entry of hidden) entry.shown = true;
    const commit = mergeCommits([first, ...others]);
    this.#options.stage.show({ commit, seq: last.seq, durable: false, snapshot: last.view.snapshot });
  }

  /** Too many entries behind a slow write are a journal that fails (L14). */
  #bound(): void {
    const { maxBacklog, driver, onOverrun } = this.#options;
    const size = (this.#batch?.length ?? 0) + this.#waiting.length;
    if (size <= maxBacklog || this.#overfull) return;
    const problem = `${size} commits wait to be written; maxBacklog is ${maxBacklog}. Check that the disk keeps up.`;
    const error = new JournalError("JOURNAL_BACKLOG", driver.path, problem);
    if (size > 2 * maxBacklog) {
      onOverrun(error);
      return;
    }
    this.#overfull = true;
    // The task is in the middle of a macrostep: it can be told once that has ended.
    queueMicrotask(() => {
      this.#overfull = false;
      this.#bringToRest(error);
    });
  }
}

const isHidden = <TSnapshot>({ view, shown }: Entry<TSnapshot>): boolean => view !== undefined && !shown;
