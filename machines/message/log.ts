import { PersistentList } from "../list/index.ts";
import type { ClineMessage, Patch } from "./message.ts";

/** The messages of one task, oldest first. */
export type Log = PersistentList<ClineMessage>;

/** The messages of a task in any form that a client holds them. */
export type Messages = Iterable<ClineMessage> | null | undefined;

/** Messages with access by position. A foreign array may have empty places. */
export type MessageSequence = readonly (ClineMessage | null | undefined)[] | Log;

/** Returns an array or a log as it is; reads anything else whole. */
export function toSequence(messages: Messages): MessageSequence {
  if (messages === undefined || messages === null) return [];
  return Array.isArray(messages) || messages instanceof PersistentList ? messages : [...messages];
}

/** How a log changes. The runtime itself makes only the first three. */
export type LogEvent =
  | { readonly type: "message.appended"; readonly message: ClineMessage }
  /** `text` is the suffix by which the row's text grew. */
  | { readonly type: "message.grown"; readonly ts: number; readonly text: string }
  | { readonly type: "message.amended"; readonly ts: number; readonly patch: Patch }
  /** Keeps the first `length` messages. */
  | { readonly type: "log.truncated"; readonly length: number }
  | { readonly type: "log.replaced"; readonly messages: readonly ClineMessage[] };

export const emptyLog: Log = PersistentList.empty();

/**
 * The position of the row `ts`, or -1. The last row is looked at first, then the log is searched as the
 * sorted list that ours is (O(log n)); only where that finds nothing, as in a foreign log out of order, it
 * is searched from its end (O(n)). Of neighbours that share a `ts`, the last counts. Every replica of the
 * same log finds the same row.
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
 * The log after `event`. A growth or amendment of a row that isn't there changes nothing.
 * Folding the events that a task emits over the log it began with gives its log (L2).
 */
export function applyLogEvent(log: Log, event: LogEvent): Log {
  switch (event.type) {
    case "message.appended":
      return log.append(event.message);
    case "message.grown":
      return change(log, event.ts, (message) => ({ ...message, text: (message.text ?? "") + event.text }));
    case "message.amended":
      return change(log, event.ts, (message) => ({ ...message, ...event.patch }));
    case "log.truncated":
      return log.truncate(event.length);
    case "log.replaced":
      return PersistentList.from(event.messages);
  }
}

function change(log: Log, ts: number, to: (message: ClineMessage) => ClineMessage): Log {
  const position = positionOf(log, ts);
  if (position < 0) return log;
  return log.set(position, to(log.at(position) as ClineMessage));
}
