import type { QueuedMessage } from "../../machines/task/index.ts";

/** Which request what happens now belongs to. */
export class RequestIds {
  #current: string | undefined;
  /** Who sent the messages that wait, by the ids that they have in the queue; oldest first. */
  readonly #senders = new Map<string, string>();

  get current(): string | undefined {
    return this.#current;
  }

  begin(requestId: string): void {
    this.#current = requestId;
  }

  queued(messageId: string, requestId: string): void {
    this.#senders.set(messageId, requestId);
  }

  /** The queue as it is now: of what has left it, the newest is what the task deals with. */
  left(queue: readonly QueuedMessage[]): void {
    const waiting = new Set(queue.map(({ id }) => id));
    for (const [messageId, requestId] of this.#senders) {
      if (waiting.has(messageId)) continue;
      this.#senders.delete(messageId);
      this.#current = requestId;
    }
  }

  /** The request that began the task is done: what comes now is for the oldest message that waits. */
  promote(): void {
    const [oldest] = this.#senders.values();
    if (oldest !== undefined) this.#current = oldest;
  }
}
