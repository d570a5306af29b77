import { emptyRecordedState, type RecordedState } from "../../machines/task/index.ts";
import { applyRecord, type HeaderRecord, type JournalRecord } from "../../wire/index.ts";
import { type JournalDriver, type JournalTail, readJournal } from "../journal/index.ts";

/** What a journal tells of its task. */
export interface ReplayedTask {
  readonly header: HeaderRecord;
  readonly memory: RecordedState;
  /** The number of the last good record. */
  readonly lastSeq: number;
  /** When that was made: milliseconds since 1970. */
  readonly lastAt: number;
  /** The state after the last commit, as a dotted path. */
  readonly state: string;
  /** What stands behind the last good record and can't be used, if anything does. */
  readonly tail?: JournalTail;
}

export interface ReplayOptions {
  /** The last record that is looked at. Default: all. */
  readonly until?: number;
}

/**
 * Reads what a journal tells of its task (L11). Nothing is written. A journal that holds no whole header tells
 * nothing.
 *
 * @throws JournalError as `readJournal` does
 */
export async function replayJournal(
  driver: Pick<JournalDriver, "path" | "read">,
  { until = Number.POSITIVE_INFINITY }: ReplayOptions = {},
): Promise<ReplayedTask | undefined> {
  let tail: JournalTail | undefined;
  const recollection = new Recollection();
  const onTail = (found: JournalTail): void => {
    tail = found;
  };
  for await (const record of readJournal(driver, { onTail })) {
    if (record.seq > until) break;
    recollection.take(record);
  }
  const { recalled } = recollection;
  return recalled === undefined || tail === undefined ? recalled : { ...recalled, tail };
}

/** What is recalled so far. Changed in place: a long task has a hundred thousand records. */
class Recollection {
  #header: HeaderRecord | undefined;
  #memory: RecordedState = emptyRecordedState;
  #lastSeq = 0;
  #lastAt = 0;
  #state = "no_task";

  get recalled(): ReplayedTask | undefined {
    if (this.#header === undefined) return undefined;
    return {
      header: this.#header,
      memory: this.#memory,
      lastSeq: this.#lastSeq,
      lastAt: this.#lastAt,
      state: this.#state,
    };
  }

  take(record: JournalRecord): void {
    if (record.kind === "header") {
      this.#header = record;
      this.#lastAt = record.createdAt;
      return;
    }
    this.#lastSeq = record.seq;
    this.#lastAt = record.at;
    this.#memory = applyRecord(this.#memory, record);
    if (record.kind === "commit") this.#state = record.after;
  }
}
