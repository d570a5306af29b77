import type { MessageGrowth } from "./messages.ts";

/** A piece of a row's text that a numbered message brought. */
export type NumberedGrowth = MessageGrowth & Required<Pick<MessageGrowth, "since" | "revision">>;

export const isNumbered = (growth: MessageGrowth): growth is NumberedGrowth =>
  growth.revision !== undefined && growth.since !== undefined;

/**
 * Pieces of text that came before what they go behind. Each is found by the row, by when that was told whole, and by
 * the place in its text: so all are put in at a cost that doesn't grow with how many are held.
 */
export class PendingGrowth {
  readonly #limit: number;
  readonly #of = new Map<number, Map<string, NumberedGrowth>>();
  #count = 0;

  /** @param limit Pieces that are held at most (L14) */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps a piece; false where there is no room, and then none is kept any more. */
  hold(growth: NumberedGrowth): boolean {
    const { ts, since, offset, revision } = growth;
    const pieces = this.#of.get(ts) ?? new Map<string, NumberedGrowth>();
    const key = keyOf(revision.source, since, offset);
    if (!pieces.has(key)) this.#count += 1;
    pieces.set(key, growth);
    this.#of.set(ts, pieces);
    if (this.#count <= this.#limit) return true;
    this.clear();
    return false;
  }

  /** Gives the piece that goes behind so many characters of the row, and no longer keeps it. */
  take(ts: number, source: string | undefined, since: number, offset: number): NumberedGrowth | undefined {
    const pieces = this.#of.get(ts);
    const key = keyOf(source ?? "", since, offset);
    const growth = pieces?.get(key);
    if (pieces === undefined || growth === undefined) return undefined;
    pieces.delete(key);
    this.#count -= 1;
    if (pieces.size === 0) this.#of.delete(ts);
    return growth;
  }

  /** The rows that pieces are held of. */
  get rows(): readonly number[] {
    return [...this.#of.keys()];
  }

  /** Forgets the pieces of a row that is told whole by now, as it was later. */
  settle(ts: number, source: string | undefined, since: number): void {
    const pieces = this.#of.get(ts);
    if (pieces === undefined) return;
    for (const [key, piece] of pieces) {
      if (piece.revision.source === source && piece.since >= since) continue;
      pieces.delete(key);
      this.#count -= 1;
    }
    if (pieces.size === 0) this.#of.delete(ts);
  }

  clear(): void {
    this.#of.clear();
    this.#count = 0;
  }
}

const keyOf = (source: string, since: number, offset: number): string => `${since}:${offset}:${source}`;
