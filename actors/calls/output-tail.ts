/** The end of a text that grows. Positions count characters (UTF-16 units) from its beginning. */
export class OutputTail {
  readonly #maxChars: number;
  #kept = "";
  #start = 0;

  /** @param maxChars Maximum characters that are kept. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** The position after the last character. */
  get end(): number {
    return this.#start + this.#kept.length;
  }

  /** Keeps up to twice the maximum, so that it is not copied for each chunk. */
  add(text: string): void {
    this.#kept += text;
    if (this.#kept.length > 2 * this.#maxChars) this.#drop(this.#kept.length - this.#maxChars);
  }

  /** The text from a position on, and how many characters at its beginning are not kept. */
  from(position: number): { readonly text: string; readonly cutChars: number } {
    const begin = Math.max(position, this.end - this.#maxChars);
    return { text: this.#kept.slice(begin - this.#start), cutChars: begin - position };
  }

  /** The text from the beginning of the line at a position on. */
  fromLine(position: number): string {
    const { text, cutChars } = this.from(position);
    const before = this.#kept.slice(0, this.#kept.length - text.length);
    return cutChars > 0 ? text : before.slice(before.lastIndexOf("\n") + 1) + text;
  }

  #drop(length: number): void {
    this.#kept = this.#kept.slice(length);
    this.#start += length;
  }
}
