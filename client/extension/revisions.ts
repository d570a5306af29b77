import type { Revision } from "./messages.ts";
import type { NumberedGrowth } from "./pending-growth.ts";

/** What is known of a row: the newest that was told of it, and the newest that told it whole. */
interface Known {
  readonly newest: number;
  readonly whole: number;
}

/** What becomes of a piece of a row's text: it goes behind what is there, or waits for that, or is told already. */
export type GrowthFit = "fits" | "waits" | "stale";

/**
 * What a view has already, by the numbers that its sender gave: so that what comes late, or twice, changes nothing. What
 * has no revision counts as newer than all before it.
 */
export class Revisions {
  #source: string | undefined;
  /** The newest state push with rows. */
  #base = -Infinity;
  /** The newest state push of any kind. */
  #facts = -Infinity;
  /** The rows that are newer than the base. */
  #ofRow = new Map<string, Known>();
  #newest = -Infinity;
  #isInStep = false;

  /** Whether the rows are those between two steps of the agent, and so mean a state. */
  get isSettled(): boolean {
    return !this.#isInStep;
  }

  /** Whether a state push tells rows that aren't known. Another run of the sender always does. */
  takesState(revision: Revision | undefined): boolean {
    return revision === undefined || revision.source !== this.#source || revision.number > this.#base;
  }

  /** Whether a state push tells newer facts beside the rows. */
  takesFacts(revision: Revision | undefined): boolean {
    return revision === undefined || revision.source !== this.#source || revision.number > this.#facts;
  }

  /** Whether an update of the row is newer than what is known of it. One of another run of the sender is not. */
  takesRow(key: string, revision: Revision | undefined): boolean {
    if (revision === undefined) return true;
    const { source, number } = revision;
    if (this.#source !== undefined && source !== this.#source) return false;
    return number > this.#base && number > (this.#ofRow.get(key)?.newest ?? -Infinity);
  }

  /** The run of the sender whose numbers these are. */
  get source(): string | undefined {
    return this.#source;
  }

  /** The newest state push with rows. */
  get base(): number {
    return this.#base;
  }

  /** When the row was last told whole. */
  wholeOf(key: string): number {
    return this.#ofRow.get(key)?.whole ?? this.#base;
  }

  /** Whether a piece goes behind the text of a row, of which so many characters are there; a row that isn't there has no key. */
  fitOf(key: string | undefined, { since, offset, revision }: NumberedGrowth, length: number): GrowthFit {
    if (this.#source !== undefined && revision.source !== this.#source) return "stale";
    if (key === undefined) return since > this.#base ? "waits" : "stale";
    if (!this.takesRow(key, revision)) return "stale";
    const whole = this.wholeOf(key);
    if (since !== whole) return since > whole ? "waits" : "stale";
    if (offset === length) return "fits";
    return offset > length ? "waits" : "stale";
  }

  /** Whether what is known of the row is newer than a state push that does not have it so. */
  isNewerThan(key: string, revision: Revision | undefined): boolean {
    const known = this.#ofRow.get(key)?.newest;
    if (known === undefined || revision?.source !== this.#source) return false;
    return revision !== undefined && known > revision.number;
  }

  noteFacts(revision: Revision | undefined): void {
    if (revision === undefined) return;
    this.#meet(revision.source);
    this.#facts = Math.max(this.#facts, revision.number);
  }

  /** @param kept The rows that are newer than the push. */
  noteState(revision: Revision | undefined, kept: ReadonlySet<string>): void {
    if (revision !== undefined) {
      this.#meet(revision.source);
      this.#base = revision.number;
    }
    for (const key of this.#ofRow.keys()) if (!kept.has(key)) this.#ofRow.delete(key);
    this.#note(revision, false);
  }

  noteRow(key: string, revision: Revision | undefined, more: boolean): void {
    if (revision !== undefined) {
      this.#meet(revision.source);
      this.#ofRow.set(key, { newest: revision.number, whole: revision.number });
    }
    this.#note(revision, more);
  }

  noteGrowth(key: string, revision: Revision | undefined, more: boolean): void {
    if (revision !== undefined) this.#ofRow.set(key, { newest: revision.number, whole: this.wholeOf(key) });
    this.#note(revision, more);
  }

  #note(revision: Revision | undefined, more: boolean): void {
    if (revision !== undefined && revision.number < this.#newest) return;
    this.#newest = revision?.number ?? this.#newest;
    this.#isInStep = more;
  }

  /** Another run of the sender begins from its own first number. */
  #meet(source: string): void {
    if (this.#source === source) return;
    this.#source = source;
    this.#base = -Infinity;
    this.#facts = -Infinity;
    this.#newest = -Infinity;
    this.#ofRow.clear();
  }
}
