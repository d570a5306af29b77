import type { Moment } from "../../../trace/moment.ts";
import { lastUntil } from "../../model/search-sorted.ts";
import type { TraceIndex } from "../../model/trace-index.ts";

/** The events that added responses to the conversation, up to an event. A compaction removes the oldest of them. */
const responsesUntil = ({ turns }: TraceIndex, at: number): readonly number[] =>
  turns.flatMap(({ respondedAt }) => (respondedAt !== undefined && respondedAt <= at ? [respondedAt] : []));

/** The position of the conversation's entry that belongs to the same turn as a message. */
export function entryOfMessage(position: number, { event, memory }: Moment, index: TraceIndex): number {
  const { log, conversation } = memory;
  const seq = index.appendedBy.get(log.at(position)?.ts ?? -1) ?? 0;
  const responses = responsesUntil(index, event.seq);
  // The response with the message is the first one that was complete after it.
  let later = responses.length - 1 - lastUntil(responses, seq - 1, (response) => response);
  if (later <= 0) return conversation.length - 1;
  for (let entry = conversation.length - 1; entry >= 0; entry -= 1) {
    if (conversation.at(entry)?.role === "assistant") later -= 1;
    if (later === 0) return entry;
  }
  return 0;
}

/** The position of the first message of the turn that an entry of the conversation belongs to. */
export function messageOfEntry(position: number, { event, memory }: Moment, index: TraceIndex): number {
  const { log, conversation } = memory;
  let later = 0;
  for (let entry = conversation.length - 1; entry >= position; entry -= 1)
    if (conversation.at(entry)?.role === "assistant") later += 1;
  const responses = responsesUntil(index, event.seq);
  const before = responses[responses.length - later - 1] ?? -1;
  let message = log.length - 1;
  while (message > 0 && (index.appendedBy.get(log.at(message - 1)?.ts ?? -1) ?? 0) > before) message -= 1;
  return Math.max(0, message);
}
