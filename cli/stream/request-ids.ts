import type { QueuedMessage } from "../../machines/task/task.events.ts";
import type { JsonEvent } from "../../wire/ndjson/event.ts";

/** A client's message that is queued, or has just left the queue. */
interface Sent {
  readonly requestId: string;
  readonly text: string;
}

/** The request ids of emitted events. */
export class RequestIds {
  #current: string | undefined;
  /** Queued messages by their ids in the queue; oldest first. */
  readonly #waiting = new Map<string, Sent>();
  /** Messages that left the queue with the current commit, and were not emitted yet. */
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

  /** Apply a change of the queue before it is emitted: messages that left it are emitted next. */
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

  /** The request id of an event. It changes with the event of a message that has left the queue. */
  of(event: JsonEvent | undefined): string | undefined {
    if (event?.type === "queue") return this.#left.at(-1)?.requestId ?? this.#current;
    const index = event?.type === "user" ? this.#left.findIndex(({ text }) => text === event.content) : -1;
    if (index >= 0) this.#advance(index);
    return this.#current;
  }

  /** All events of a commit were emitted: the newest message that left the queue is the current one. */
  commitEmitted(): void {
    this.#advance(this.#left.length - 1);
  }

  /** The `start` request is done: the oldest queued message is the current one. */
  promote(): void {
    const [oldest] = this.#waiting.values();
    if (oldest !== undefined) this.#current = oldest.requestId;
  }

  #advance(index: number): void {
    this.#current = this.#left[index]?.requestId ?? this.#current;
    this.#left = this.#left.slice(index + 1);
  }
}
