import { type Log, type LogEvent, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";

/** A message that a commit appended or changed. */
export interface MessageChange {
  /** The message after the commit. */
  readonly message: ClineMessage;
  readonly isNew: boolean;
  /** The suffix of the text, where nothing else changed. */
  readonly grownBy: string | undefined;
}

/**
 * The messages that a commit's log events appended or changed, each once, in the order of their first event. The cost
 * of a growth is independent of the length of the log and of the text (L17).
 *
 * @param log The log after the commit.
 */
export function messageChanges(log: Log, events: readonly LogEvent[]): readonly MessageChange[] {
  const changes = new Map<number, Change>();
  for (const event of events) {
    if (event.type === "message.appended") changes.set(event.message.ts, { isNew: true, grownBy: undefined });
    else if (event.type === "message.grown" || event.type === "message.amended") {
      const { isNew, grownBy } = changes.get(event.ts) ?? UNCHANGED;
      const suffix =
        event.type === "message.grown" && grownBy !== undefined ? grownBy + event.text : undefined;
      changes.set(event.ts, { isNew, grownBy: suffix });
    }
  }
  return [...changes].flatMap(([ts, change]) => {
    const message = log.at(positionOf(log, ts));
    return message === undefined ? [] : [{ message, ...change }];
  });
}

type Change = Omit<MessageChange, "message">;
const UNCHANGED: Change = { isNew: false, grownBy: "" };
