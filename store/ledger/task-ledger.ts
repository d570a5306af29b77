import type { DurableFacts } from "../../machines/task/task.events.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { JournalDraft } from "../../wire/journal/record.ts";
import { entriesOf, LedgerDerivation } from "./derivation.ts";
import { comparePositions, type LedgerEntry, type LedgerPosition } from "./entry.ts";
import type { LedgerFile, LockedLedger } from "./ledger-file.ts";

export interface TaskLedgerOptions {
  readonly file: LedgerFile;
  readonly driver: Pick<JournalDriver, "path" | "read">;
  readonly taskId: string;
  /** The recorded facts of a reopened task. */
  readonly facts?: Partial<DurableFacts>;
  /** Called when lines can't be appended. They are appended with the next ones, or when the task is next opened. */
  readonly onError: (error: unknown) => void;
}

/** The lines of one task in the ledger: each committed write once, in order. */
export class TaskLedger {
  readonly #options: TaskLedgerOptions;
  readonly #derivation: LedgerDerivation;
  #waiting: LedgerEntry[] = [];
  #writes: Promise<void> = Promise.resolve();
  /** Writes that have not ended. */
  #pending = 0;
  /** The newest line that this object knows to be in the ledger, with all before it. */
  #appended: LedgerPosition | "none" | "unknown";

  constructor(options: TaskLedgerOptions) {
    this.#options = options;
    this.#derivation = new LedgerDerivation(options.taskId, options.facts);
    this.#appended = options.facts === undefined ? "none" : "unknown";
  }

  /** Take one more durable record of the task. Its lines are appended later. */
  add(record: JournalDraft): void {
    const entries = this.#derivation.apply(record);
    if (entries.length === 0) return;
    for (const entry of entries) this.#waiting.push(entry);
    this.#pending += 1;
    this.#writes = this.#writes
      .then(() => this.#write())
      .finally(() => {
        this.#pending -= 1;
      });
  }

  /** Whether the lines of all records so far are appended, or their error was reported. */
  get isIdle(): boolean {
    return this.#pending === 0;
  }

  /** Resolves when the lines of all records so far are appended, or their error was reported. */
  flushed(): Promise<void> {
    return this.#writes;
  }

  /** Append what the journal has and the ledger has not, as after a crash. @throws LedgerError, JournalError */
  async catchUp(): Promise<void> {
    const { file } = this.#options;
    if (await file.isOn()) await file.update((ledger) => this.#appendMissing(ledger));
  }

  async #write(): Promise<void> {
    const { file, onError } = this.#options;
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length === 0) return;
    try {
      if (await file.isOn()) await file.update((ledger) => this.#append(ledger, entries));
      else this.#appended = "unknown";
    } catch (error) {
      this.#appended = "unknown";
      onError(error);
    }
  }

  async #append(ledger: LockedLedger, entries: readonly LedgerEntry[]): Promise<void> {
    const { taskId } = this.#options;
    if (!isSame(ledger.newest(taskId), this.#appended)) return this.#appendMissing(ledger);
    await ledger.append(entries);
    this.#appended = entries.at(-1) ?? this.#appended;
  }

  async #appendMissing(ledger: LockedLedger): Promise<void> {
    const { taskId, driver } = this.#options;
    const newest = ledger.newest(taskId);
    const { entries } = await entriesOf(taskId, driver);
    const missing = entries.filter((entry) => newest === undefined || comparePositions(entry, newest) > 0);
    await ledger.append(missing);
    this.#appended = missing.at(-1) ?? newest ?? "none";
  }
}

function isSame(newest: LedgerPosition | undefined, appended: LedgerPosition | "none" | "unknown"): boolean {
  if (typeof appended === "string") return appended === "none" && newest === undefined;
  return newest !== undefined && comparePositions(newest, appended) === 0;
}
