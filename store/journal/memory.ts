import type { AppendOptions, JournalDriver } from "./driver.ts";
import { changedError, closedError, existsError } from "./error.ts";
import { MemoryStore } from "./store.ts";

export interface MemoryJournalOptions {
  /** What it holds from the beginning. */
  readonly content?: Uint8Array;
  /** Where it keeps its lines, so that another driver finds them. Default: a store of its own, with `content`. */
  readonly store?: MemoryStore;
}

/** A journal that lives as long as the process: for tests, and for tasks that leave no trace. */
export function memoryJournal({
  content,
  store = new MemoryStore(content),
}: MemoryJournalOptions = {}): JournalDriver {
  const path = "(memory)";
  const self = {};
  let trimmed = false;
  let closed = false;
  const own = (): void => {
    if (closed) throw closedError(path);
    store.take(self, path);
  };
  return {
    path,
    async own() {
      own();
    },
    async append(lines: readonly string[], options?: AppendOptions) {
      if (closed) throw closedError(path);
      if (lines.length === 0) return;
      own();
      if (!trimmed) store.trim(path);
      trimmed = true;
      if (options?.first === true && store.size > 0) throw existsError(path);
      store.write(lines);
    },
    async *read() {
      yield* store.pieces();
    },
    async cut(length) {
      own();
      if (store.size < length) throw changedError(path, `at least ${length}`, store.size);
      trimmed = false;
      return store.cut(length, path);
    },
    async rest() {},
    async close() {
      closed = true;
      store.release(self);
    },
  };
}
