import { crc32 } from "node:zlib";
import { PersistentList } from "../../machines/list/index.ts";
import { applyLogEvent, emptyLog } from "../../machines/message/index.ts";
import type { RecordedLists } from "../../machines/task/index.ts";
import { type JournalDriver, JournalError, type PassiveStorage } from "../journal/index.ts";
import { replayBytes } from "./replay.ts";

/**
 * Save the messages and the conversation of a passive task as of record `seq`. The copy is a cache: it may be lost or
 * changed at any time.
 *
 * @throws JournalError
 */
export function savePassiveCopy(storage: PassiveStorage, seq: number, lists: RecordedLists): Promise<void> {
  const body = JSON.stringify({ log: lists.log, conversation: lists.conversation });
  return storage.save(`${headOf(seq, body)}\n${body}`);
}

/**
 * The messages and the conversation of a passive task: from its copy, or, where that is missing or not of record `seq`,
 * from its journal.
 *
 * @throws JournalError `JOURNAL_CHANGED` if the last record of the journal is not `seq`
 */
export function loadPassiveCopy(
  { path, passive }: Pick<JournalDriver, "path" | "passive">,
  seq: number,
): RecordedLists {
  const copy = passive?.load();
  const end = copy?.indexOf("\n") ?? -1;
  const body = copy?.slice(end + 1) ?? "";
  if (copy !== undefined && end > 0 && copy.slice(0, end) === headOf(seq, body)) {
    const { log, conversation } = JSON.parse(body);
    const messages = applyLogEvent(emptyLog, { type: "log.replaced", messages: log });
    return { log: messages, conversation: PersistentList.from(conversation) };
  }
  const replayed = passive && replayBytes(path, passive.read());
  if (replayed?.lastSeq !== seq) {
    const problem = `Expected record ${seq} at its end, found ${replayed?.lastSeq ?? "none"}: another program wrote to it.`;
    throw new JournalError("JOURNAL_CHANGED", path, `${problem} Close the task and open it again.`);
  }
  return replayed.recorded;
}

const headOf = (seq: number, body: string): string => `${seq} ${crc32(body).toString(16)}`;
