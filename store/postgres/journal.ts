import { initialTransition } from "xstate";
import { type ClaimEvent, type ClaimState, claimMachine } from "../../machines/ownership/claim.machine.ts";
import { transitionsOf } from "../../machines/ownership/transitions.ts";
import type {
  AppendOptions,
  JournalDriver,
  JournalGrowth,
  JournalPlace,
  PassiveStorage,
} from "../../ports/journal.ts";
import type { HeldLease, Leases } from "../../ports/ownership.ts";
import type { TemporaryFile } from "../files/temporary-file.ts";
import { changedError, closedError, existsError, JournalError } from "../journal/error.ts";
import { WriteQueue, type WriteTarget } from "../journal/write-queue.ts";
import type { Database } from "./database.ts";
import { addHolder, removeHolder } from "./holders.ts";
import { leaseEnded, ownedHere, ownershipLost, toJournalError } from "./journal-error.ts";
import { forgetRelease, noteLostRelease } from "./lost-releases.ts";
import { OwnedLines } from "./owned-lines.ts";
import { type JournalAddress, type OwnedTask, Ownership } from "./ownership.ts";
import { Pages } from "./pages.ts";
import { PassiveCopy } from "./passive-copy.ts";
import type { Tables } from "./tables.ts";

const FREE: ClaimState = initialTransition(claimMachine)[0];
const claimTransition = transitionsOf(claimMachine);

/** The place of a journal, and its owner. */
export interface PostgresJournalOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly schema: string;
  readonly taskId: string;
  /** The leases of the worker that owns what this driver owns. */
  readonly leases: Leases;
  /** The file that has the copies of passive tasks. Absent: tasks are never passivated. */
  readonly copies?: TemporaryFile;
}

/** A journal in rows: one for each line, with its newline. */
export class PostgresJournal implements JournalDriver, WriteTarget {
  readonly path: string;
  readonly passive?: PassiveStorage;
  readonly #copy: PassiveCopy | undefined;
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #address: JournalAddress;
  readonly #leases: Leases;
  readonly #ownership: Ownership;
  readonly #lines: OwnedLines;
  readonly #pages: Pages;
  readonly #queue = new WriteQueue(this);
  /** The worker for which this driver is listed as the holder of the task. */
  #holdsFor: string | undefined;
  /** Whether this driver owns the journal, and the end that it knows. */
  #claim: ClaimState = FREE;
  /** The row of the newest claim, and its lease. */
  #owned: OwnedTask | undefined;
  #lease: HeldLease | undefined;
  #onLost: ((error: Error) => void) | undefined;
  /** Whether the last line is known to be whole. */
  #isTrimmed = false;
  /** The lines of an append without an answer, and the byte where they begin. */
  #unanswered: { readonly content: Buffer; readonly from: number } | undefined;

  constructor({ database, tables, schema, taskId, leases, copies }: PostgresJournalOptions) {
    this.path = `${database.label} ${schema}/${taskId}`;
    this.#copy = copies && new PassiveCopy(this.path, copies);
    if (this.#copy !== undefined) this.passive = this.#copy;
    this.#database = database;
    this.#tables = tables;
    this.#address = { task: taskId, path: this.path };
    this.#leases = leases;
    this.#ownership = new Ownership(database, tables);
    this.#lines = new OwnedLines(database, tables, this.#ownership);
    this.#pages = new Pages(database, tables);
  }

  own(): Promise<void> {
    return this.#queue.run(() =>
      this.#converting(async () => {
        const known = this.#known;
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
        return `${this.path}.${await this.#cut(owned, length)}`;
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

  onLost(listener: (error: Error) => void): void {
    this.#onLost = listener;
  }

  /** The connections belong to the store. */
  release(): Promise<void> {
    return this.#queue.enqueue(async () => {});
  }

  close(): Promise<void> {
    return this.#queue.close(async () => {
      this.#copy?.remove();
      const worker = this.#holdsFor;
      if (worker === undefined) return;
      const epoch = this.#epoch;
      const { task } = this.#address;
      try {
        await this.#converting(() => this.#ownership.release(task, worker, epoch));
      } catch (error) {
        noteLostRelease(worker, task, epoch);
        throw error;
      } finally {
        this.#follow(undefined);
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
    const known = this.#known;
    if (known !== undefined) return known;
    if (this.#claim.matches("owned")) this.#send({ type: "lost" });
    if (this.#claim.matches("overtaken")) throw ownershipLost(this.path);
    const found = await this.#claimed();
    await this.#resolve(found);
    return found;
  }

  /** The row, while this driver owns the journal by a lease that holds. */
  get #known(): OwnedTask | undefined {
    return this.#claim.matches("owned") && this.#lease?.holds() === true ? this.#owned : undefined;
  }

  /** The epoch in which this driver owns the journal. Undefined after a claim without an answer. */
  get #epoch(): number | undefined {
    return this.#claim.matches("owned") ? this.#owned?.epoch : undefined;
  }

  async #claimed(): Promise<OwnedTask> {
    const lease = await this.#leases.held();
    if (lease === undefined) throw closedError(this.path);
    const { worker } = lease;
    const { task } = this.#address;
    if (worker !== this.#holdsFor) this.#removeHolder();
    if (!addHolder(worker, task, this)) throw ownedHere(this.path);
    this.#holdsFor = worker;
    forgetRelease(worker, task);
    this.#send({ type: "claim.sent" });
    try {
      const found = await this.#ownership.claim(this.#address, worker);
      this.#owned = found;
      this.#send({ type: "claimed", epoch: found.epoch, length: found.bytes });
    } catch (error) {
      const isRefused = error instanceof JournalError;
      this.#send({ type: isRefused ? "refused" : "unanswered" });
      // Otherwise the claim may have been made: this driver is still the one that can make it again, or release it.
      if (isRefused) this.#removeHolder();
      throw error;
    }
    if (!this.#claim.matches("owned")) {
      await this.#ownership.release(task, worker, this.#owned.epoch);
      throw ownershipLost(this.path);
    }
    this.#follow(lease);
    return this.#owned;
  }

  /** Find out whether the lines of a failed append were written. The old epoch has ended, so they can't be any more. */
  async #resolve(found: OwnedTask): Promise<void> {
    const kept = this.#unanswered;
    if (kept === undefined) return;
    if (found.bytes === kept.from) {
      this.#unanswered = undefined;
      return;
    }
    if (await this.#lines.endsWith(this.#address, kept.from, kept.content)) return;
    this.#send({ type: "changed" });
    throw changedError(this.path, `${kept.from}`, found.bytes);
  }

  /** Notify the listener when this lease is lost, instead of the one before. */
  #follow(lease: HeldLease | undefined): void {
    this.#lease?.lost.removeEventListener("abort", this.#lose);
    this.#lease = lease;
    lease?.lost.addEventListener("abort", this.#lose, { once: true });
  }

  readonly #lose = (): void => this.#onLost?.(leaseEnded(this.path));

  /** Remove lines that were written although their append failed. */
  async #discardUnanswered(owned: OwnedTask): Promise<OwnedTask> {
    const kept = this.#unanswered;
    if (kept === undefined) return owned;
    await this.#cut(owned, kept.from, { discard: true });
    this.#unanswered = undefined;
    return this.#owned ?? owned;
  }

  /** Returns the name of the backup. */
  async #cut(owned: OwnedTask, length: number, options?: { readonly discard: boolean }): Promise<string> {
    const cut = await this.#change(length - owned.bytes, () =>
      this.#lines.cut(this.#address, owned, length, options),
    );
    this.#owned = cut.owned;
    return cut.place;
  }

  async #trim(owned: OwnedTask): Promise<OwnedTask> {
    if (this.#isTrimmed) return owned;
    const end = await this.#lines.wholeEnd(this.#address, owned);
    if (end < owned.bytes) await this.#cut(owned, end);
    this.#isTrimmed = true;
    return this.#owned ?? owned;
  }

  async #append(owned: OwnedTask, content: Buffer): Promise<void> {
    this.#unanswered = { content, from: owned.bytes };
    this.#owned = await this.#change(content.length, () => this.#lines.append(this.#address, owned, content));
    this.#unanswered = undefined;
    // Past the deadline it notifies the listener, so that no effect of these lines starts.
    this.#lease?.holds();
  }

  /** Make a change that adds so many bytes. */
  async #change<T>(bytes: number, operation: () => Promise<T>): Promise<T> {
    this.#copy?.remove();
    this.#send({ type: "append.sent", bytes });
    try {
      const result = await operation();
      this.#send({ type: "appended" });
      return result;
    } catch (error) {
      this.#send({ type: failureOf(error) });
      throw error;
    }
  }

  #send(event: ClaimEvent): void {
    [this.#claim] = claimTransition(this.#claim, event);
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

/** The event of a change that failed. */
function failureOf(error: unknown): "fenced" | "changed" | "unanswered" {
  if (!(error instanceof JournalError)) return "unanswered";
  return error.code === "JOURNAL_CHANGED" ? "changed" : "fenced";
}
