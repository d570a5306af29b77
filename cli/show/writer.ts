import type { Output } from "../io.ts";

/** The most characters that are held back while somebody types. */
const HELD_CHARS_MAX = 1_000_000;
const CLEAR_LINE = "\r\x1b[K";

/**
 * The one way to stdout: it knows whether a line has begun, holds text back while a person types, and shows a
 * passing line where nothing else is to be said. When the reader has gone away it is silent.
 */
export class OutputWriter {
  readonly #output: Output;
  #inLine = false;
  #passing = false;
  #held: string[] | undefined;
  #heldChars = 0;
  #broken = false;
  #onBroken: (() => void) | undefined;

  constructor(output: Output) {
    this.#output = output;
    output.on("error", () => {
      this.#broken = true;
      this.#onBroken?.();
    });
  }

  /** Whether a line has begun that isn't ended. */
  get isInLine(): boolean {
    const last = this.#held?.at(-1);
    return last === undefined ? this.#inLine : !last.endsWith("\n");
  }

  /** Told once when nobody reads any more. */
  onBroken(listener: () => void): void {
    this.#onBroken = listener;
    if (this.#broken) listener();
  }

  write(text: string): void {
    if (text === "") return;
    if (this.#held === undefined) this.#put(text);
    else this.#hold(this.#held, text);
  }

  /** A line of its own. */
  line(text: string): void {
    this.freshLine();
    this.write(`${text}\n`);
  }

  /** Ends the line that has begun. */
  freshLine(): void {
    if (this.isInLine) this.write("\n");
  }

  /** Shows a line that the next text takes away. Only a terminal can do that. */
  passing(text: string): void {
    if (this.#output.isTTY !== true || this.#held !== undefined) return;
    if (this.#inLine && !this.#passing) return;
    const width = (this.#output.columns ?? 80) - 1;
    this.#raw(`${this.#passing ? CLEAR_LINE : ""}\x1b[2m${text.slice(0, width)}\x1b[22m`);
    this.#passing = true;
  }

  /** Holds back what is written from now on. What is typed goes out by {@link typed}. */
  hold(): void {
    this.freshLine();
    this.#clearPassing();
    this.#held ??= [];
  }

  /** What a person types and their prompt, which nothing holds back. */
  typed(text: string): void {
    this.#clearPassing();
    this.#raw(text);
  }

  /** The person's line has ended: what was held back follows. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldChars = 0;
    this.#inLine = false;
    for (const piece of held) this.#put(piece);
  }

  #hold(held: string[], text: string): void {
    held.push(text);
    this.#heldChars += text.length;
    if (this.#heldChars > HELD_CHARS_MAX) {
      this.#raw("\n");
      this.release();
    }
  }

  #put(text: string): void {
    this.#clearPassing();
    this.#raw(text);
    this.#inLine = !text.endsWith("\n");
  }

  #clearPassing(): void {
    if (!this.#passing) return;
    this.#passing = false;
    this.#raw(CLEAR_LINE);
  }

  #raw(text: string): void {
    if (!this.#broken) this.#output.write(text);
  }
}
