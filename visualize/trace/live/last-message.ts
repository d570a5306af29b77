import { applyLogEvent, emptyLog, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { emptyParts } from "../../../machines/task/commit.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { patchOf } from "../../../wire/journal/recorded-log.ts";

export type Amendment = Extract<LogEvent, { readonly type: "message.amended" }>;

/** The number and time of a task's newest record, and the machine's state after it. */
export interface LatestRecord {
  readonly seq: number;
  readonly at: number;
  readonly state: string;
}

/** A record without decisions that only amends a message. */
export function amendmentRecord(event: Amendment, { seq, at, state }: LatestRecord): CommitRecord {
  return { seq, kind: "commit", at, before: state, after: state, ...emptyParts, log: [event] };
}

/**
 * The last message of a log, and whether it has text that is not in the journal yet (L3, L5: only the last message
 * grows). A client that missed growth gets the whole message as one amendment.
 */
export class LastMessage {
  #message: ClineMessage | undefined;
  #isUnrecorded: boolean;

  constructor(message?: ClineMessage, isUnrecorded = false) {
    this.#message = message;
    this.#isUnrecorded = isUnrecorded;
  }

  copy(): LastMessage {
    return new LastMessage(this.#message, this.#isUnrecorded);
  }

  apply(events: readonly LogEvent[]): void {
    for (const event of events) this.#apply(event);
  }

  get ts(): number | undefined {
    return this.#message?.ts;
  }

  /** The whole message as one amendment. */
  get amendment(): Amendment | undefined {
    const message = this.#message;
    return message && { type: "message.amended", ts: message.ts, patch: patchOf(message) };
  }

  /** The same, if the message may have grown after its records: a closed ask does not grow (L5). */
  get restored(): Amendment | undefined {
    return this.#message?.closing === undefined ? this.amendment : undefined;
  }

  /** The same, if the message has text that the journal lacks. */
  get unrecorded(): Amendment | undefined {
    return this.#isUnrecorded ? this.amendment : undefined;
  }

  #apply(event: LogEvent): void {
    if (event.type === "message.grown" || event.type === "message.amended") {
      if (this.#message?.ts !== event.ts) return;
      const message = applyLogEvent(emptyLog.append(this.#message), event).at(-1);
      if (message === undefined) return;
      this.#message = message;
      this.#isUnrecorded = event.type === "message.grown" || message.partial === true;
    } else {
      this.#isUnrecorded = false;
      if (event.type === "message.appended") this.#message = event.message;
      else this.#message = event.type === "log.replaced" ? event.messages.at(-1) : undefined;
    }
  }
}
