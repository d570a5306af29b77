import { open } from "node:fs/promises";
import type { AppendOptions, JournalDriver } from "../ports/journal.ts";
import { PRIVATE_FILE } from "../store/files/data-folder.ts";
import { closedError } from "../store/journal/error.ts";
import { type FileJournalOptions, fileJournal } from "../store/journal/file.ts";
import { LineSplitter } from "../store/journal/line-splitter.ts";

/** The byte of a journal at which the process crashes. */
export interface CrashPoint {
  /** The line that is not finished, counted over the whole journal: 0 is the header. */
  readonly record: number;
  /** How many bytes of it are written. Its length is all of it but the newline; more is all of it. */
  readonly byte: number;
}

export interface CrashingJournalOptions extends FileJournalOptions {
  readonly at: CrashPoint;
  /**
   * Terminates the process. Default: SIGKILL, which leaves a stale lock. With your own function the lock is released
   * first, since this process keeps running.
   */
  readonly crash?: () => void;
}

/**
 * Create a file driver that crashes at a given byte: when that line is written, it writes all lines before it and part of
 * it, syncs, and terminates the process. If `crash` does not terminate the process, nothing is written any more, and no
 * operation completes.
 */
export function crashingJournal(options: CrashingJournalOptions): JournalDriver {
  return new CrashingJournal(options);
}

const killSelf = (): void => {
  process.kill(process.pid, "SIGKILL");
};

class CrashingJournal implements JournalDriver {
  readonly path: string;
  readonly #inner: JournalDriver;
  readonly #at: CrashPoint;
  readonly #crash: (() => void) | undefined;
  /** Number of lines in the journal; unknown until the first append. */
  #count: number | undefined;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ at, crash, ...options }: CrashingJournalOptions) {
    this.#inner = fileJournal(options);
    this.path = this.#inner.path;
    this.#at = at;
    this.#crash = crash;
  }

  own(): Promise<void> {
    return this.#enqueue(() => this.#inner.own());
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    return this.#enqueue(() => this.#append(lines, options));
  }

  read(): AsyncIterable<Uint8Array> {
    return this.#inner.read();
  }

  truncate(length: number): Promise<string> {
    return this.#enqueue(async () => {
      const place = await this.#inner.truncate(length);
      this.#count = undefined;
      return place;
    });
  }

  async hasDeleted(subtaskId: string): Promise<boolean> {
    return (await this.#inner.hasDeleted?.(subtaskId)) ?? false;
  }

  release(): Promise<void> {
    return this.#inTurn(() => this.#inner.release());
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#inTurn(() => this.#inner.close());
  }

  #enqueue<T>(act: () => Promise<T>): Promise<T> {
    return this.#closed ? Promise.reject(closedError(this.path)) : this.#inTurn(act);
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    await this.#inner.own();
    this.#count ??= await this.#countLines();
    const before = this.#at.record - this.#count;
    const last = lines[before];
    const isRefused = options?.first === true && this.#count > 0;
    if (last === undefined || isRefused) {
      await this.#inner.append(lines, options);
      this.#count += lines.length;
      return;
    }
    await this.#inner.append(lines.slice(0, before), options);
    await this.#writePart(Buffer.from(`${last}\n`).subarray(0, this.#byteOf(last)));
    if (this.#crash !== undefined) await this.#inner.close();
    (this.#crash ?? killSelf)();
    await new Promise<never>(() => {});
  }

  #byteOf(line: string): number {
    return Math.min(this.#at.byte, Buffer.byteLength(line) + 1);
  }

  async #writePart(bytes: Buffer): Promise<void> {
    const handle = await open(this.path, "a", PRIVATE_FILE);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  /** Count the lines, and cut an incomplete last line. */
  async #countLines(): Promise<number> {
    const splitter = new LineSplitter();
    let count = 0;
    for await (const piece of this.#inner.read()) for (const _ of splitter.push(piece)) count += 1;
    const open = splitter.end();
    if (open !== undefined) await this.#inner.truncate(open.at);
    return count;
  }
}
