import { createHash } from "node:crypto";
import type { MessagesRequest } from "../protocol/request.ts";

/** Maximum conversations remembered; the least recently used is dropped first. */
export const conversationsMax = 10_000;

/** Counts the attempts of each request, so that faults come first and tasks don't affect each other. */
export class Attempts {
  readonly #counts = new Map<string, number>();

  /** The number of this attempt, from 0. */
  next(key: string): number {
    const count = this.#counts.get(key) ?? 0;
    this.#counts.delete(key);
    this.#counts.set(key, count + 1);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > conversationsMax && oldest !== undefined) this.#counts.delete(oldest);
    return count;
  }

  /** The response was complete: a repeated request starts with the first fault again. */
  completed(key: string): void {
    this.#counts.delete(key);
  }
}

/** The key of a conversation: equal for equal requests, regardless of cache marks. */
export function conversationKey(request: MessagesRequest, place: string): string {
  const content = JSON.stringify(
    [place, request.metadata?.user_id ?? null, request.messages],
    (key, value) => (key === "cache_control" ? undefined : value),
  );
  return createHash("sha256").update(content).digest("base64url");
}
