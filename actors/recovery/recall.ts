import { emptyMemory, type Memory, remember, rememberEnd } from "../../machines/task/index.ts";
import type { CommitRecord, HeaderRecord, JournalRecord } from "../../wire/index.ts";
import { type JournalDriver, type JournalTail, readJournal } from "../journal/index.ts";

/** What a journal tells of its task. */
export interface Recalled {
  readonly header: HeaderRecord;
  readonly memory: Memory;
  /** The number of the last good record. */
  readonly lastSeq: number;
  /** When that was made: milliseconds since 1970. */
  readonly lastAt: number;
  /** The state after the last commit, as a dotted path. */
  readonly state: string;
  /** What stands behind the last good record and can't be used, if anything does. */
  readonly tail?: JournalTail;
}

export interface RecallOptions {
  /** The last record that is looked at. Default: all. */
  readonly until?: number;
}

/**
 * Reads what a journal tells of its task (L11). Nothing is written. A journal that holds no whole header tells
 * nothing.
 *
 * @throws JournalError as `readJournal` does
 */
export async function recallTask(
  driver: Pick<JournalDriver, "path" | "read">,
  { until = Number.POSITIVE_INFINITY }: RecallOptions = {},
): Promise<Recalled | undefined> {
  let tail: JournalTail | undefined;
  let recalled: Recalled | undefined;
  const onTail = (found: JournalTail): void => {
    tail = found;
  };
  for await (const record of readJournal(driver, { onTail })) {
    if (record.seq > until) break;
    recalled = after(recalled, record);
  }
  return recalled === undefined || tail === undefined ? recalled : { ...recalled, tail };
}

function after(recalled: Recalled | undefined, record: JournalRecord): Recalled | undefined {
  if (record.kind === "header")
    return { header: record, memory: emptyMemory, lastSeq: 0, lastAt: record.createdAt, state: "no_task" };
  if (recalled === undefined) return undefined;
  const { seq: lastSeq, at: lastAt } = record;
  const { memory, state } = recalled;
  return record.kind === "commit"
    ? { ...recalled, memory: withCommit(memory, record), lastSeq, lastAt, state: record.after }
    : { ...recalled, memory: rememberEnd(memory, record), lastSeq, lastAt, state };
}

function withCommit(memory: Memory, record: CommitRecord): Memory {
  const { log, conversation, queue, turnEnded, calls, facts } = record;
  let next = memory;
  for (const event of log) next = remember(next, event);
  for (const event of conversation) next = remember(next, event);
  if (queue !== undefined) next = remember(next, { type: "queue.changed", queue });
  if (turnEnded) next = remember(next, { type: "turn.ended" });
  for (const call of calls) next = remember(next, { type: "call.changed", call });
  if (facts !== undefined) next = remember(next, { type: "facts.changed", facts });
  return next;
}
