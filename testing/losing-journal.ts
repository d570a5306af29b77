import type { AppendOptions, JournalDriver } from "../store/journal/driver.ts";
import { changedError, existsError } from "../store/journal/error.ts";
import { MemoryStore } from "../store/journal/store.ts";
import { Turns } from "../store/journal/turns.ts";

export interface LosingJournalOptions {
  /** The disk and its cache. Default: an empty one. After a crash another driver over it finds what is left. */
  readonly store?: MemoryStore;
  /**
   * Called when lines have gone to the cache: they are durable once it calls `done`, and not before. Default:
   * at once.
   */
  readonly sync?: (done: () => void) => void;
}

/** A driver whose machine can go down. */
export interface LosingJournal extends JournalDriver {
  /** How many bytes are in the cache only. */
  readonly unsynced: number;
  /**
   * The machine goes down: what is durable stays, and of what is not the first `keep` bytes. Nobody owns the
   * journal then, and nothing that this driver was asked for, before or later, ends any more.
   */
  crash(keep: number): void;
}

/** A journal in memory that tells what is written from what is durable, as a disk with a cache does. */
export function losingJournal(options: LosingJournalOptions = {}): LosingJournal {
  return new CachedJournal(options);
}

class CachedJournal implements LosingJournal {
  readonly path = "(losing)";
  readonly #store: MemoryStore;
  readonly #sync: (done: () => void) => void;
  readonly #turns: Turns;
  /** How many bytes are durable; unknown until it is owned: then all that is there. */
  #durable: number | undefined;
  #trimmed = false;
  #down = false;

  constructor({ store = new MemoryStore(), sync = (done) => done() }: LosingJournalOptions) {
    this.#store = store;
    this.#sync = sync;
    this.#turns = new Turns({
      path: this.path,
      write: (lines, first) => this.#write(lines, first),
      abandon: async () => {},
    });
  }

  get unsynced(): number {
    return this.#durable === undefined ? 0 : this.#store.size - this.#durable;
  }

  crash(keep: number): void {
    this.#down = true;
    if (this.#durable !== undefined) this.#store.shorten(this.#durable + keep);
    this.#store.release(this);
  }

  own(): Promise<void> {
    return this.#turns.take(() => this.#own());
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    return this.#turns.append(lines, options);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    yield* this.#store.pieces();
  }

  cut(length: number): Promise<string> {
    return this.#turns.take(async () => {
      await this.#own();
      if (this.#store.size < length) throw changedError(this.path, `at least ${length}`, this.#store.size);
      const place = this.#store.cut(length, this.path);
      this.#durable = length;
      this.#trimmed = false;
      return place;
    });
  }

  rest(): Promise<void> {
    return this.#turns.inTurn(() => this.#up());
  }

  close(): Promise<void> {
    return this.#turns.close(async () => {
      await this.#up();
      this.#store.release(this);
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
    this.#store.take(this, this.path);
    this.#durable ??= this.#store.size;
  }

  /** Never, when the machine is down. */
  async #up(): Promise<void> {
    if (this.#down) await new Promise<never>(() => {});
  }
}
