import { crc32 } from "node:zlib";
import { PersistentList } from "../../machines/list/list.ts";
import { applyLogEvent, emptyLog } from "../../machines/message/log.ts";
import type { RecordedLists } from "../../machines/task/passivation.ts";
import type { JournalDriver, PassiveStorage } from "../../ports/journal.ts";
import { JournalError } from "../journal/error.ts";
import { replayBytes } from "./replay.ts";

/**
 * Save the messages and the conversation of a passive task as of record `seq`. The copy is a cache: it may be lost or
 * changed at any time.
 *
 * @throws JournalError
 */
export function savePassiveCopy(storage: PassiveStorage, seq: number, lists: RecordedLists): Promise<void> {
  const body = Buffer.from(JSON.stringify({ log: lists.log, conversation: lists.conversation }));
  return storage.save(Buffer.concat([headOf(seq, body), body]));
}

/**
 * The messages and the conversation of a passive task: from its copy, or, where that is missing or not of record `seq`,
 * from its journal.
 *
 * @throws JournalError `JOURNAL_CHANGED` if the last record of the journal is not `seq`; `JOURNAL_IO`
 */
export function loadPassiveCopy(
  { path, passive }: Pick<JournalDriver, "path" | "passive">,
  seq: number,
): RecordedLists {
  const copy = passive?.load() ?? new Uint8Array();
  const body = copy.subarray(copy.indexOf(LINE_FEED) + 1);
  const head = headOf(seq, body);
  if (head.equals(copy.subarray(0, head.length)) && copy.length === head.length + body.length) {
    const { log, conversation } = JSON.parse(new TextDecoder().decode(body));
    const messages = applyLogEvent(emptyLog, { type: "log.replaced", messages: log });
    return { log: messages, conversation: PersistentList.from(conversation) };
  }
  if (passive?.read === undefined) {
    const problem = "Expected the copy of its messages, found none or a damaged one.";
    throw new JournalError("JOURNAL_IO", path, `${problem} Close the task and open it again.`);
  }
  const replayed = replayBytes(path, passive.read());
  if (replayed?.lastSeq !== seq) {
    const problem = `Expected record ${seq} at its end, found ${replayed?.lastSeq ?? "none"}: another program wrote to it.`;
    throw new JournalError("JOURNAL_CHANGED", path, `${problem} Close the task and open it again.`);
  }
  return replayed.recorded;
}

const LINE_FEED = 10;

/** The checksum of the bytes: for a string, it takes longer than parsing it. */
const headOf = (seq: number, body: Uint8Array): Buffer => Buffer.from(`${seq} ${crc32(body).toString(16)}\n`);
