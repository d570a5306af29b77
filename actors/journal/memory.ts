import type { JournalDriver } from "./driver.ts";
import { closedError, existsError } from "./error.ts";
import { wholeLines } from "./whole-lines.ts";

export interface MemoryJournalOptions {
  /** What it holds from the beginning. */
  readonly content?: Uint8Array;
}

/** A journal that lives as long as the process: for tests, and for tasks that leave no trace. */
export function memoryJournal({ content = new Uint8Array() }: MemoryJournalOptions = {}): JournalDriver {
  const path = "(memory)";
  let kept: Uint8Array[] = [content];
  let opened = false;
  let closed = false;
  return {
    path,
    async append(lines, options) {
      if (closed) throw closedError(path);
      if (!opened) {
        const found = Buffer.concat(kept);
        kept = [found.subarray(0, wholeLines(found))];
        opened = true;
      }
      if (options?.first === true && kept.some(({ length }) => length > 0)) throw existsError(path);
      if (lines.length > 0) kept.push(Buffer.from(`${lines.join("\n")}\n`));
    },
    async *read() {
      yield* [...kept];
    },
    async truncate(length) {
      kept = [Buffer.concat(kept).subarray(0, length)];
    },
    async rest() {},
    async close() {
      closed = true;
    },
  };
}
