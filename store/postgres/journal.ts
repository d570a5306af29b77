import type { AppendOptions, JournalDriver, JournalGrowth, JournalPlace } from "../../ports/journal.ts";
import { changedError, existsError, JournalError } from "../journal/error.ts";
import { WriteQueue, type WriteTarget } from "../journal/write-queue.ts";
import type { Database } from "./database.ts";
import { addHolder, removeHolder } from "./holders.ts";
import { ownedHere, toJournalError } from "./journal-error.ts";
import { OwnedLines } from "./owned-lines.ts";
import { type JournalAddress, type OwnedTask, Ownership } from "./ownership.ts";
import { Pages } from "./pages.ts";
import type { Tables } from "./tables.ts";

/** The place of a journal, and its owner. */
export interface PostgresJournalOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly schema: string;
  readonly taskId: string;
  /** The id of the worker that owns what this driver owns. */
  readonly worker: Promise<string>;
}

/** A journal in rows: one for each line, with its newline. */
export class PostgresJournal implements JournalDriver, WriteTarget {
  readonly path: string;
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #address: JournalAddress;
  readonly #worker: Promise<string>;
  readonly #ownership: Ownership;
  readonly #lines: OwnedLines;
  readonly #pages: Pages;
  readonly #queue = new WriteQueue(this);
  /** The worker for which this driver is listed as the holder of the task. */
  #holdsFor: string | undefined;
  #owned: OwnedTask | undefined;
  /** Whether the last line is known to be whole. */
  #isTrimmed = false;
  /** Whether a change failed: it may have been made, or may still be on its way. */
  #isUncertain = false;
  /** The lines of an append that failed, in case they were written, and the byte where they begin. */
  #unanswered: { readonly content: Buffer; readonly from: number } | undefined;

  constructor({ database, tables, schema, taskId, worker }: PostgresJournalOptions) {
    this.path = `${database.label} ${schema}/${taskId}`;
    this.#database = database;
    this.#tables = tables;
    this.#address = { task: taskId, path: this.path };
    this.#worker = worker;
    this.#ownership = new Ownership(database, tables);
    this.#lines = new OwnedLines(database, tables, this.#ownership);
    this.#pages = new Pages(database, tables);
  }

  own(): Promise<void> {
    return this.#queue.run(() =>
      this.#converting(async () => {
        const known = this.#isUncertain ? undefined : this.#owned;
        if (known === undefined) await this.#own();
        else await this.#ownership.verify(this.#address, known);
      }),
    );
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    return this.#queue.append(lines, options);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#pages.read(this.#address);
    } catch (error) {
      throw toJournalError(this.path, error);
    }
  }

  async readAfter(place: JournalPlace): Promise<JournalGrowth> {
    const { from, chunks } = await this.#converting(() => this.#pages.readAfter(this.#address, place));
    return { from, chunks: this.#convertingChunks(chunks) };
  }

  truncate(length: number): Promise<string> {
    return this.#queue.run(() =>
      this.#converting(async () => {
        const owned = await this.#discardUnanswered(await this.#own());
        if (owned.bytes < length) throw changedError(this.path, `at least ${length}`, owned.bytes);
        // The new end may be inside a line: the next append looks at the last one.
        this.#isTrimmed = false;
        const cut = await this.#change(() => this.#lines.cut(this.#address, owned, length));
        this.#owned = cut.owned;
        return `${this.path}.${cut.place}`;
      }),
    );
  }

  hasDeleted(subtaskId: string): Promise<boolean> {
    return this.#converting(async () => {
      const { rows } = await this.#database.query(
        `SELECT FROM ${this.#tables.deleted_subtask} WHERE task = $1 AND subtask = $2`,
        [this.#address.task, subtaskId],
      );
      return rows.length > 0;
    });
  }

  /** The connections belong to the store. */
  release(): Promise<void> {
    return this.#queue.enqueue(async () => {});
  }

  close(): Promise<void> {
    return this.#queue.close(async () => {
      const worker = this.#holdsFor;
      if (worker === undefined) return;
      try {
        await this.#converting(() => this.#ownership.release(this.#address.task, worker));
      } finally {
        this.#removeHolder();
      }
    });
  }

  write(lines: readonly string[], first: boolean): Promise<void> {
    return this.#converting(async () => {
      const given = Buffer.from(`${lines.join("\n")}\n`);
      const before = await this.#own();
      const kept = this.#unanswered?.content;
      // The lines that failed are appended again, and were written after all.
      if (kept !== undefined && given.subarray(0, kept.length).equals(kept)) {
        this.#unanswered = undefined;
        if (given.length > kept.length) await this.#append(before, given.subarray(kept.length));
        return;
      }
      const owned = await this.#trim(await this.#discardUnanswered(before));
      if (first && owned.bytes > 0) throw existsError(this.path);
      await this.#append(owned, given);
    });
  }

  /** A failed statement leaves nothing open. */
  async cleanUp(): Promise<void> {}

  /** The task as it is now, owned by this driver. */
  async #own(): Promise<OwnedTask> {
    const known = this.#owned;
    if (known === undefined) return this.#claim();
    if (!this.#isUncertain) return known;
    const found = await this.#ownership.renewEpoch(this.#address, known.worker);
    await this.#resolve(known, found);
    this.#owned = found;
    this.#isUncertain = false;
    return found;
  }

  async #claim(): Promise<OwnedTask> {
    const worker = await this.#worker;
    if (!addHolder(worker, this.#address.task, this)) throw ownedHere(this.path);
    this.#holdsFor = worker;
    try {
      this.#owned = await this.#ownership.claim(this.#address, worker);
    } catch (error) {
      // Otherwise the claim may have been made: this driver is still the one that can make it again, or release it.
      if (error instanceof JournalError) this.#removeHolder();
      throw error;
    }
    return this.#owned;
  }

  /** Find out whether the lines of a failed append were written. The old epoch has ended, so they can't be any more. */
  async #resolve(known: OwnedTask, found: OwnedTask): Promise<void> {
    if (this.#unanswered === undefined) return;
    const { content, from } = this.#unanswered;
    if (found.bytes === from) {
      this.#unanswered = undefined;
      return;
    }
    const isWritten =
      found.bytes === from + content.length && (await this.#lines.endsWith(this.#address, found, content));
    if (!isWritten) throw changedError(this.path, `${known.bytes}`, found.bytes);
  }

  /** Remove lines that were written although their append failed. */
  async #discardUnanswered(owned: OwnedTask): Promise<OwnedTask> {
    const kept = this.#unanswered;
    if (kept === undefined) return owned;
    const cut = await this.#change(() => this.#lines.cut(this.#address, owned, kept.from, { discard: true }));
    this.#unanswered = undefined;
    this.#owned = cut.owned;
    return cut.owned;
  }

  async #trim(owned: OwnedTask): Promise<OwnedTask> {
    if (this.#isTrimmed) return owned;
    const trimmed = await this.#change(() => this.#lines.trim(this.#address, owned));
    this.#owned = trimmed;
    this.#isTrimmed = true;
    return trimmed;
  }

  async #append(owned: OwnedTask, content: Buffer): Promise<void> {
    this.#unanswered = { content, from: owned.bytes };
    this.#owned = await this.#change(() => this.#lines.append(this.#address, owned, content));
    this.#unanswered = undefined;
  }

  async #change<T>(operation: () => Promise<T>): Promise<T> {
    this.#isUncertain = true;
    const result = await operation();
    this.#isUncertain = false;
    return result;
  }

  #removeHolder(): void {
    if (this.#holdsFor !== undefined) removeHolder(this.#holdsFor, this.#address.task, this);
    this.#holdsFor = undefined;
  }

  async *#convertingChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
    } catch (error) {
      throw toJournalError(this.path, error);
    }
  }

  async #converting<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      throw toJournalError(this.path, error);
    }
  }
}
