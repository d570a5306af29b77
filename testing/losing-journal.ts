import type { AppendOptions, JournalDriver } from "../ports/journal.ts";
import { changedError, existsError } from "../store/journal/error.ts";
import { MemoryStore } from "../store/journal/memory.ts";
import { WriteQueue } from "../store/journal/write-queue.ts";

export interface LosingJournalOptions {
  /** The disk and its cache. Default: an empty one. After a crash another driver over it finds what is left. */
  readonly store?: MemoryStore;
  /**
   * Called when lines have gone to the cache: they are durable once it calls `done`, and not before. Default:
   * at once.
   */
  readonly sync?: (done: () => void) => void;
}

/** A journal driver that can simulate a power failure. */
export interface LosingJournal extends JournalDriver {
  /** Number of bytes that are not durable. */
  readonly unsynced: number;
  /**
   * Simulate a power failure: durable bytes stay, and the first `keep` bytes of the others. The journal has no owner
   * then, and no operation of this driver completes any more.
   */
  crash(keep: number): void;
}

/** Create a journal in memory that separates written from durable data, like a disk with a cache. */
export function losingJournal(options: LosingJournalOptions = {}): LosingJournal {
  return new CachedJournal(options);
}

class CachedJournal implements LosingJournal {
  readonly path = "(losing)";
  readonly #store: MemoryStore;
  readonly #sync: (done: () => void) => void;
  readonly #turns: WriteQueue;
  /** Number of durable bytes; unknown until the journal is owned: then all of them. */
  #durable: number | undefined;
  #trimmed = false;
  #down = false;

  constructor({ store = new MemoryStore(), sync = (done) => done() }: LosingJournalOptions) {
    this.#store = store;
    this.#sync = sync;
    this.#turns = new WriteQueue({
      path: this.path,
      write: (lines, first) => this.#write(lines, first),
      cleanUp: async () => {},
    });
  }

  get unsynced(): number {
    return this.#durable === undefined ? 0 : this.#store.size - this.#durable;
  }

  crash(keep: number): void {
    this.#down = true;
    if (this.#durable !== undefined) this.#store.discardAfter(this.#durable + keep);
    this.#store.unlock(this);
  }

  own(): Promise<void> {
    return this.#turns.run(() => this.#own());
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    return this.#turns.append(lines, options);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    yield* this.#store.chunks();
  }

  truncate(length: number): Promise<string> {
    return this.#turns.run(async () => {
      await this.#own();
      if (this.#store.size < length) throw changedError(this.path, `at least ${length}`, this.#store.size);
      const place = this.#store.truncate(length, this.path);
      this.#durable = length;
      this.#trimmed = false;
      return place;
    });
  }

  release(): Promise<void> {
    return this.#turns.enqueue(() => this.#up());
  }

  close(): Promise<void> {
    return this.#turns.close(async () => {
      await this.#up();
      this.#store.unlock(this);
    });
  }

  async #write(lines: readonly string[], first: boolean): Promise<void> {
    await this.#own();
    if (!this.#trimmed) this.#store.trim(this.path);
    this.#trimmed = true;
    this.#durable = this.#store.size;
    if (first && this.#store.size > 0) throw existsError(this.path);
    this.#store.write(lines);
    await new Promise<void>((resolve) => this.#sync(resolve));
    await this.#up();
    this.#durable = this.#store.size;
  }

  async #own(): Promise<void> {
    await this.#up();
    this.#store.lock(this, this.path);
    this.#durable ??= this.#store.size;
  }

  /** Never resolves after a crash. */
  async #up(): Promise<void> {
    if (this.#down) await new Promise<never>(() => {});
  }
}
