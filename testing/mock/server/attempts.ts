import { createHash } from "node:crypto";
import type { MessagesRequest } from "../protocol/index.ts";

/** How many conversations are remembered; the one not asked about for longest is forgotten first. */
export const conversationsMax = 10_000;

/** Counts the attempts of each request, so that faults come first and tasks do not disturb one another. */
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

  /** The request was answered whole: asked again, it meets the same faults again. */
  answered(key: string): void {
    this.#counts.delete(key);
  }
}

/** The same for two requests that say the same; where cache marks stand makes no difference. */
export function conversationKey(request: MessagesRequest, place: string): string {
  const said = JSON.stringify([place, request.metadata?.user_id ?? null, request.messages], (key, value) =>
    key === "cache_control" ? undefined : value,
  );
  return createHash("sha256").update(said).digest("base64url");
}
