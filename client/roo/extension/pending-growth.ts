import type { MessageGrowth } from "./messages.ts";

/** A growth with a revision. */
export type NumberedGrowth = MessageGrowth & Required<Pick<MessageGrowth, "since" | "revision">>;

export const isNumbered = (growth: MessageGrowth): growth is NumberedGrowth =>
  growth.revision !== undefined && growth.since !== undefined;

/**
 * Growths that arrived before the text that they extend. Each has a key of its message, of the revision of that
 * message's whole text, and of its offset: applying one costs the same however many are held (L17).
 */
export class PendingGrowth {
  readonly #limit: number;
  readonly #of = new Map<number, Map<string, NumberedGrowth>>();
  #count = 0;

  /** @param limit Growths held at most (L14) */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Hold a growth. False above the limit: then all are dropped. */
  hold(growth: NumberedGrowth): boolean {
    const { ts, since, offset, revision } = growth;
    const growths = this.#of.get(ts) ?? new Map<string, NumberedGrowth>();
    const key = keyOf(revision.source, since, offset);
    if (!growths.has(key)) this.#count += 1;
    growths.set(key, growth);
    this.#of.set(ts, growths);
    if (this.#count <= this.#limit) return true;
    this.clear();
    return false;
  }

  /** Remove and return the growth at this offset. */
  take(ts: number, source: string | undefined, since: number, offset: number): NumberedGrowth | undefined {
    const growths = this.#of.get(ts);
    const key = keyOf(source ?? "", since, offset);
    const growth = growths?.get(key);
    if (growths === undefined || growth === undefined) return undefined;
    growths.delete(key);
    this.#count -= 1;
    if (growths.size === 0) this.#of.delete(ts);
    return growth;
  }

  /** The messages with held growths. */
  get messages(): readonly number[] {
    return [...this.#of.keys()];
  }

  /** Drop the growths of a message that a later whole text includes. */
  settle(ts: number, source: string | undefined, since: number): void {
    const growths = this.#of.get(ts);
    if (growths === undefined) return;
    for (const [key, growth] of growths) {
      if (growth.revision.source === source && growth.since >= since) continue;
      growths.delete(key);
      this.#count -= 1;
    }
    if (growths.size === 0) this.#of.delete(ts);
  }

  clear(): void {
    this.#of.clear();
    this.#count = 0;
  }
}

const keyOf = (source: string, since: number, offset: number): string => `${since}:${offset}:${source}`;
