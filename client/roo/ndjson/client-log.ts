import type { ClineMessage } from "../../../machines/message/message.ts";
import type { EventClient } from "./event-sources.ts";
import type { MessageEvents } from "./message-events.ts";

/** Reads the messages of a client. A message that is read again, unchanged, emits nothing. */
export class ClientLog {
  readonly #client: Pick<EventClient, "getMessages">;
  readonly #events: MessageEvents;
  /** The `ts` of the messages that were read, and of the newest one before them. */
  readonly #read = new Set<number>();

  constructor(client: Pick<EventClient, "getMessages">, events: MessageEvents) {
    this.#client = client;
    this.#events = events;
    const newest = client.getMessages?.().at(-1);
    if (newest !== undefined) this.#read.add(newest.ts);
  }

  read(message: ClineMessage): void {
    this.#read.add(message.ts);
    this.#events.update(message);
  }

  /** Read the messages after the newest known one, and that one again: a push emits its completion before its messages. */
  readNew(): void {
    const messages = this.#client.getMessages?.() ?? [];
    const known = messages.findLastIndex(({ ts }) => this.#read.has(ts));
    for (const message of messages.slice(Math.max(known, 0))) this.read(message);
  }
}
