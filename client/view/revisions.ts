import type { Revision } from "./messages.ts";

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
  #ofRow = new Map<string, number>();
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
    return number > this.#base && number > (this.#ofRow.get(key) ?? -Infinity);
  }

  /** Whether what is known of the row is newer than a state push that does not have it so. */
  isNewerThan(key: string, revision: Revision | undefined): boolean {
    const known = this.#ofRow.get(key);
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
      this.#ofRow.set(key, revision.number);
    }
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
