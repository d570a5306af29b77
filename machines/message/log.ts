import { frozen } from "../list/frozen.ts";
import { PersistentList } from "../list/list.ts";
import type { ClineMessage, Patch } from "./message.ts";

/** The messages of one task, oldest first. */
export type Log = PersistentList<ClineMessage>;

/** The messages of a task, in any form. */
export type Messages = Iterable<ClineMessage> | null | undefined;

/** Messages with access by position. A foreign array may have empty slots. */
export type MessageSequence = readonly (ClineMessage | null | undefined)[] | Log;

/** Return an array or a log unchanged, and copy any other iterable. */
export function toSequence(messages: Messages): MessageSequence {
  if (messages === undefined || messages === null) return [];
  return Array.isArray(messages) || messages instanceof PersistentList ? messages : [...messages];
}

/** A change of a log. The runtime itself emits only the first three. */
export type LogEvent =
  | { readonly type: "message.appended"; readonly message: ClineMessage }
  /** `text` is appended to the message's text. */
  | { readonly type: "message.grown"; readonly ts: number; readonly text: string }
  | { readonly type: "message.amended"; readonly ts: number; readonly patch: Patch }
  /** Keeps the first `length` messages. */
  | { readonly type: "log.truncated"; readonly length: number }
  | { readonly type: "log.replaced"; readonly messages: readonly ClineMessage[] };

/** A log without messages, to fold recorded changes into. */
export const emptyLog: Log = PersistentList.empty();

/**
 * Find the position of the message `ts`, or -1. Our logs are sorted: the last message is compared first, then a binary
 * search runs (O(log n)). A foreign log may be out of order: if nothing is found, it is searched from its end (O(n)). Of
 * consecutive messages with one `ts`, the last is found. Every replica of a log finds the same message.
 */
export function positionOf(log: Log, ts: number): number {
  if (log.at(-1)?.ts === ts) return log.length - 1;
  let low = 0;
  let high = log.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((log.at(middle) as ClineMessage).ts <= ts) low = middle;
    else high = middle - 1;
  }
  if (log.at(low)?.ts === ts) return low;
  for (let position = log.length - 1; position >= 0; position -= 1)
    if (log.at(position)?.ts === ts) return position;
  return -1;
}

/**
 * Return the log after `event`. Growth or an amendment of a missing message changes nothing. Folding the emitted events of
 * a task over its initial log gives its log (L2). The messages of the log are frozen: they are handed to subscribers.
 */
export function applyLogEvent(log: Log, event: LogEvent): Log {
  switch (event.type) {
    case "message.appended":
      return log.append(frozen(event.message));
    case "message.grown":
      return change(log, event.ts, (message) => ({ ...message, text: (message.text ?? "") + event.text }));
    case "message.amended":
      return change(log, event.ts, (message) => ({ ...message, ...frozen(event.patch) }));
    case "log.truncated":
      return log.truncate(event.length);
    case "log.replaced":
      return PersistentList.from(event.messages.map((message) => frozen(message)));
  }
}

function change(log: Log, ts: number, to: (message: ClineMessage) => ClineMessage): Log {
  const position = positionOf(log, ts);
  if (position < 0) return log;
  return log.set(position, Object.freeze(to(log.at(position) as ClineMessage)));
}
