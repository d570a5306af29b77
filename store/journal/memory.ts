import type { AppendOptions, JournalDriver } from "../../ports/journal.ts";
import { changedError, closedError, existsError, lockedError } from "./error.ts";
import { wholeLines } from "./line-splitter.ts";

export interface MemoryJournalOptions {
  /** The initial content. */
  readonly content?: Uint8Array;
  /** The store of the lines; drivers can share one. Default: a new store with `content`. */
  readonly store?: MemoryStore;
}

/** Create a journal in memory: for tests, and for tasks that are not kept. */
export function memoryJournal({
  content,
  store = new MemoryStore(content),
}: MemoryJournalOptions = {}): JournalDriver {
  const path = "(memory)";
  const self = {};
  let isTrimmed = false;
  let isClosed = false;
  let saved: Uint8Array | undefined;
  const own = (): void => {
    if (isClosed) throw closedError(path);
    store.lock(self, path);
  };
  return {
    path,
    passive: {
      async save(content) {
        saved = content;
      },
      load: () => saved,
      read: () => Buffer.concat(store.chunks()),
    },
    async own() {
      own();
    },
    async append(lines: readonly string[], options?: AppendOptions) {
      if (isClosed) throw closedError(path);
      if (lines.length === 0) return;
      own();
      if (!isTrimmed) store.trim(path);
      isTrimmed = true;
      if (options?.first === true && store.size > 0) throw existsError(path);
      store.write(lines);
    },
    async *read() {
      yield* store.chunks();
    },
    async truncate(length) {
      own();
      if (store.size < length) throw changedError(path, `at least ${length}`, store.size);
      isTrimmed = false;
      return store.truncate(length, path);
    },
    async hasDeleted(subtaskId) {
      return store.hasDeleted(subtaskId);
    },
    async release() {},
    async close() {
      isClosed = true;
      store.unlock(self);
    },
  };
}

/** Content of journals in memory. Drivers that share a store behave like processes that share a file. */
export class MemoryStore {
  readonly #backups = new Map<string, Uint8Array>();
  readonly #deletedSubtasks = new Set<string>();
  #chunks: Uint8Array[];
  #size: number;
  #owner: object | undefined;

  /** `content`: the initial content. */
  constructor(content: Uint8Array = new Uint8Array()) {
    this.#chunks = [content];
    this.#size = content.length;
  }

  /** Number of bytes. */
  get size(): number {
    return this.#size;
  }

  /** The content, in order. */
  chunks(): readonly Uint8Array[] {
    return [...this.#chunks];
  }

  /** The bytes of a backup, by the location that `truncate` returned. */
  backup(location: string): Uint8Array | undefined {
    return this.#backups.get(location);
  }

  /** @throws JournalError `JOURNAL_LOCKED` if another driver has the lock. */
  lock(owner: object, path: string): void {
    if (this.#owner !== undefined && this.#owner !== owner)
      throw lockedError(
        path,
        `Expected no owner, found another driver of this process (${process.pid}). Close the task there, then resume.`,
      );
    this.#owner = owner;
  }

  unlock(owner: object): void {
    if (this.#owner === owner) this.#owner = undefined;
  }

  /** Mark a subtask as deleted, before its journal is. */
  markDeleted(subtaskId: string): void {
    this.#deletedSubtasks.add(subtaskId);
  }

  hasDeleted(subtaskId: string): boolean {
    return this.#deletedSubtasks.has(subtaskId);
  }

  write(lines: readonly string[]): void {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    this.#chunks.push(bytes);
    this.#size += bytes.length;
  }

  /** Remove everything after the first `length` bytes, without a backup. */
  discardAfter(length: number): void {
    const content = this.#content().subarray(0, length);
    this.#chunks = [content];
    this.#size = content.length;
  }

  /** Remove everything after the first `length` bytes, and keep it in a new backup. */
  truncate(length: number, path: string): string {
    const name = `${path}.torn-${length}`;
    let location = name;
    for (let number = 2; this.#backups.has(location); number += 1) location = `${name}.${number}`;
    this.#backups.set(location, this.#content().subarray(length));
    this.discardAfter(length);
    return location;
  }

  /** Remove an incomplete last line. */
  trim(path: string): void {
    const whole = wholeLines(this.#content());
    if (whole < this.#size) this.truncate(whole, path);
  }

  #content(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
