import type { Revision } from "./messages.ts";
import type { NumberedGrowth } from "./pending-growth.ts";

/** The latest revision of a message, and the latest one of its whole text. */
interface MessageRevision {
  readonly newest: number;
  readonly whole: number;
}

/** Whether a growth extends the present text, must wait for earlier text, or was applied before. */
export type GrowthFit = "fits" | "waits" | "stale";

/**
 * The revisions that a store has, so that late and repeated messages change nothing. A message without a revision counts
 * as newer than all before it.
 */
export class Revisions {
  #source: string | undefined;
  /** The latest state push with messages. */
  #base = -Infinity;
  /** The latest state push of any kind. */
  #facts = -Infinity;
  /** The messages that are newer than the base. */
  #ofMessage = new Map<string, MessageRevision>();
  #newest = -Infinity;
  #isInCommit = false;

  /** Whether no commit is incomplete. */
  get isSettled(): boolean {
    return !this.#isInCommit;
  }

  /** Whether a state push has newer messages; a push of another run of the sender always has. */
  takesState(revision: Revision | undefined): boolean {
    return revision === undefined || revision.source !== this.#source || revision.number > this.#base;
  }

  /** Whether the other fields of a state push are newer. */
  takesFacts(revision: Revision | undefined): boolean {
    return revision === undefined || revision.source !== this.#source || revision.number > this.#facts;
  }

  /** Whether an update of a message is newer. One of another run of the sender is not. */
  takesMessage(key: string, revision: Revision | undefined): boolean {
    if (revision === undefined) return true;
    const { source, number } = revision;
    if (this.#source !== undefined && source !== this.#source) return false;
    return number > this.#base && number > (this.#ofMessage.get(key)?.newest ?? -Infinity);
  }

  /** The run of the sender that the revisions belong to. */
  get source(): string | undefined {
    return this.#source;
  }

  /** The latest state push with messages. */
  get base(): number {
    return this.#base;
  }

  /** The revision of the whole text of a message. */
  wholeOf(key: string): number {
    return this.#ofMessage.get(key)?.whole ?? this.#base;
  }

  /** How a growth fits the text of a message with this length; `key` is undefined for an unknown message. */
  fitOf(key: string | undefined, { since, offset, revision }: NumberedGrowth, length: number): GrowthFit {
    if (this.#source !== undefined && revision.source !== this.#source) return "stale";
    if (key === undefined) return since > this.#base ? "waits" : "stale";
    if (!this.takesMessage(key, revision)) return "stale";
    const whole = this.wholeOf(key);
    if (since !== whole) return since > whole ? "waits" : "stale";
    if (offset === length) return "fits";
    return offset > length ? "waits" : "stale";
  }

  /** Whether a message is newer than a state push. */
  isNewerThan(key: string, revision: Revision | undefined): boolean {
    const known = this.#ofMessage.get(key)?.newest;
    if (known === undefined || revision?.source !== this.#source) return false;
    return revision !== undefined && known > revision.number;
  }

  noteFacts(revision: Revision | undefined): void {
    if (revision === undefined) return;
    this.#enterRun(revision.source);
    this.#facts = Math.max(this.#facts, revision.number);
  }

  /** @param kept The messages that are newer than the push. */
  noteState(revision: Revision | undefined, kept: ReadonlySet<string>): void {
    if (revision !== undefined) {
      this.#enterRun(revision.source);
      this.#base = revision.number;
    }
    for (const key of this.#ofMessage.keys()) if (!kept.has(key)) this.#ofMessage.delete(key);
    this.#note(revision, false);
  }

  noteMessage(key: string, revision: Revision | undefined, more: boolean): void {
    if (revision !== undefined) {
      this.#enterRun(revision.source);
      this.#ofMessage.set(key, { newest: revision.number, whole: revision.number });
    }
    this.#note(revision, more);
  }

  noteGrowth(key: string, revision: Revision | undefined, more: boolean): void {
    if (revision !== undefined)
      this.#ofMessage.set(key, { newest: revision.number, whole: this.wholeOf(key) });
    this.#note(revision, more);
  }

  #note(revision: Revision | undefined, more: boolean): void {
    if (revision !== undefined && revision.number < this.#newest) return;
    this.#newest = revision?.number ?? this.#newest;
    this.#isInCommit = more;
  }

  /** Another run of the sender starts with its own first number. */
  #enterRun(source: string): void {
    if (this.#source === source) return;
    this.#source = source;
    this.#base = -Infinity;
    this.#facts = -Infinity;
    this.#newest = -Infinity;
    this.#ofMessage.clear();
  }
}
