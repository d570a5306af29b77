import { lockedError } from "./error.ts";
import { wholeLines } from "./line-splitter.ts";

/** What journals in memory write to. Drivers that are given the same one share it, as processes share a file. */
export class MemoryStore {
  readonly #aside = new Map<string, Uint8Array>();
  #pieces: Uint8Array[];
  #size: number;
  #owner: object | undefined;

  /** `content`: what it holds from the beginning. */
  constructor(content: Uint8Array = new Uint8Array()) {
    this.#pieces = [content];
    this.#size = content.length;
  }

  /** How many bytes it holds. */
  get size(): number {
    return this.#size;
  }

  /** All that it holds, in order. */
  pieces(): readonly Uint8Array[] {
    return [...this.#pieces];
  }

  /** What a cut kept aside, by the place that it told. */
  aside(place: string): Uint8Array | undefined {
    return this.#aside.get(place);
  }

  /** @throws JournalError `JOURNAL_LOCKED` when another driver has it. */
  take(owner: object, path: string): void {
    if (this.#owner !== undefined && this.#owner !== owner)
      throw lockedError(
        path,
        `It is held by another driver in this very process (${process.pid}). Close the task there, then go on.`,
      );
    this.#owner = owner;
  }

  release(owner: object): void {
    if (this.#owner === owner) this.#owner = undefined;
  }

  write(lines: readonly string[]): void {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }

  /** Keeps the first `length` bytes. */
  shorten(length: number): void {
    const kept = this.#content().subarray(0, length);
    this.#pieces = [kept];
    this.#size = kept.length;
  }

  /** The same, and keeps the others aside. */
  cut(length: number, path: string): string {
    const name = `${path}.torn-${length}`;
    let place = name;
    for (let number = 2; this.#aside.has(place); number += 1) place = `${name}.${number}`;
    this.#aside.set(place, this.#content().subarray(length));
    this.shorten(length);
    return place;
  }

  /** Cuts a last line that has no end. */
  trim(path: string): void {
    const whole = wholeLines(this.#content());
    if (whole < this.#size) this.cut(whole, path);
  }

  #content(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
