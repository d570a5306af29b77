import { hasNoWork } from "../../machines/message/states.ts";
import { emptyRecordedState } from "../../machines/task/commit.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { applyRecord } from "../../wire/journal/apply-record.ts";
import type { HeaderRecord, JournalRecord } from "../../wire/journal/record.ts";
import { JournalParser, type JournalTail, readJournal } from "../journal/reader.ts";

/** A task as replayed from its journal. */
export interface ReplayedTask {
  readonly header: HeaderRecord;
  readonly recorded: RecordedState;
  /** Format version of the last valid record. */
  readonly version: number;
  /** Number of the last valid record. */
  readonly lastSeq: number;
  /** Time of the last valid record, in ms since the epoch. */
  readonly lastAt: number;
  /** State after the last commit, as a dotted path. */
  readonly state: string;
  /** Position of the last command of the task's inbox that was taken; 0 without one. */
  readonly taken: number;
  /** Whether its process ended, it was closed or its journal failed while it worked, and only its recovery has happened since. */
  readonly isInterrupted: boolean;
  /** The unusable end of the journal, if any. */
  readonly tail?: JournalTail;
}

export interface ReplayOptions {
  /** Number of the last record to replay. Default: all. */
  readonly until?: number;
}

/**
 * Replay a journal (L11), without writing to it. Undefined if the journal has no valid header.
 *
 * @throws JournalError as `readJournal` does
 */
export async function replayJournal(
  driver: Pick<JournalDriver, "path" | "read">,
  { until = Number.POSITIVE_INFINITY }: ReplayOptions = {},
): Promise<ReplayedTask | undefined> {
  let tail: JournalTail | undefined;
  const replay = new Replay();
  const onTail = (found: JournalTail): void => {
    tail = found;
  };
  for await (const record of readJournal(driver, { onTail })) {
    if (record.seq > until) break;
    replay.apply(record);
  }
  const { result } = replay;
  return result === undefined || tail === undefined ? result : { ...result, tail };
}

/** Replay the whole journal at once, synchronously (law PASSIVE). Undefined if it has no valid header. */
export function replayBytes(path: string, bytes: Uint8Array): ReplayedTask | undefined {
  const parser = new JournalParser(path);
  const replay = new Replay();
  for (const record of parser.push(bytes)) replay.apply(record);
  const tail = parser.end();
  const { result } = replay;
  return result === undefined || tail === undefined ? result : { ...result, tail };
}

/** The state of a replay. Mutable: a long task has 100,000 records. */
class Replay {
  #header: HeaderRecord | undefined;
  #version = 0;
  #recorded: RecordedState = emptyRecordedState;
  #lastSeq = 0;
  #lastAt = 0;
  #state = "no_task";
  #taken = 0;
  #isInterrupted = false;

  get result(): ReplayedTask | undefined {
    if (this.#header === undefined) return undefined;
    return {
      header: this.#header,
      version: this.#version,
      recorded: this.#recorded,
      lastSeq: this.#lastSeq,
      lastAt: this.#lastAt,
      state: this.#state,
      taken: this.#taken,
      isInterrupted: this.#isInterrupted,
    };
  }

  apply(record: JournalRecord): void {
    if (record.kind === "header" || record.kind === "version") this.#version = record.version;
    if (record.kind === "header") {
      this.#header = record;
      this.#lastAt = record.createdAt;
      return;
    }
    this.#lastSeq = record.seq;
    this.#lastAt = record.at;
    this.#recorded = applyRecord(this.#recorded, record);
    if (record.kind !== "commit") return;
    this.#state = record.after;
    if (record.inbox !== undefined) this.#taken = record.inbox.position;
    const isClosing = record.cause?.type === "task.cancel" && record.cause.origin === "close";
    const isRecovery = record.cause?.type === "task.recovered" || record.inbox?.refused !== undefined;
    if (isRecovery || (isClosing && hasNoWork(record.before))) return;
    this.#isInterrupted = isClosing || record.cause?.type === "journal.failed" || !hasNoWork(record.after);
  }
}
