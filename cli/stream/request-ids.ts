import type { QueuedMessage } from "../../machines/task/index.ts";
import type { JsonEvent } from "../../wire/index.ts";

/** A message of a client that waits, or has just left the queue. */
interface Sent {
  readonly requestId: string;
  readonly text: string;
}

/** Which request what happens now belongs to. */
export class RequestIds {
  #current: string | undefined;
  /** The messages that wait, by the ids that they have in the queue; oldest first. */
  readonly #waiting = new Map<string, Sent>();
  /** Those that have left it with the commit that is told now, and whose row is not told yet. */
  #left: readonly Sent[] = [];

  get current(): string | undefined {
    return this.#current;
  }

  begin(requestId: string): void {
    this.#current = requestId;
  }

  queued(messageId: string, requestId: string, text: string): void {
    this.#waiting.set(messageId, { requestId, text });
  }

  /** The queue as it is now, before it is told: what has left it is said with the rows that follow. */
  left(queue: readonly QueuedMessage[]): void {
    const texts = new Map(queue.map(({ id, text }) => [id, text]));
    const left: Sent[] = [];
    for (const [messageId, sent] of this.#waiting) {
      const text = texts.get(messageId);
      if (text !== undefined) this.#waiting.set(messageId, { ...sent, text });
      else {
        this.#waiting.delete(messageId);
        left.push(sent);
      }
    }
    this.#left = left;
  }

  /** That of an event that is told now. From the words of a message that has left the queue on, it is that message's. */
  of(event: JsonEvent | undefined): string | undefined {
    if (event?.type === "queue") return this.#left.at(-1)?.requestId ?? this.#current;
    const said = event?.type === "user" ? this.#left.findIndex(({ text }) => text === event.content) : -1;
    if (said >= 0) this.#goTo(said);
    return this.#current;
  }

  /** All of a commit is told: of what has left the queue with it, the newest is what the task deals with. */
  told(): void {
    this.#goTo(this.#left.length - 1);
  }

  /** The request that began the task is done: what comes now is for the oldest message that waits. */
  promote(): void {
    const [oldest] = this.#waiting.values();
    if (oldest !== undefined) this.#current = oldest.requestId;
  }

  #goTo(place: number): void {
    this.#current = this.#left[place]?.requestId ?? this.#current;
    this.#left = this.#left.slice(place + 1);
  }
}
