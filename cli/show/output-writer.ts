import type { Output } from "../io.ts";

/** Maximum characters that are held back while a line is typed. */
const HELD_CHARS_MAX = 1_000_000;
const CLEAR_LINE = "\r\x1b[K";

/**
 * The writer of stdout: it tracks whether a line is incomplete, holds text back while a line is typed, and shows
 * transient lines. It writes nothing once the reader has gone away.
 */
export class OutputWriter {
  readonly #output: Output;
  #inLine = false;
  #isTransient = false;
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

  /** Whether the last line is incomplete. */
  get isInLine(): boolean {
    const last = this.#held?.at(-1);
    return last === undefined ? this.#inLine : !last.endsWith("\n");
  }

  /** Called once when the reader has gone away. */
  onBroken(listener: () => void): void {
    this.#onBroken = listener;
    if (this.#broken) listener();
  }

  write(text: string): void {
    if (text === "") return;
    if (this.#held === undefined) this.#put(text);
    else this.#hold(this.#held, text);
  }

  /** Write a whole line, on a new line. */
  line(text: string): void {
    this.freshLine();
    this.write(`${text}\n`);
  }

  /** End an incomplete line. */
  freshLine(): void {
    if (this.isInLine) this.write("\n");
  }

  /** Show a line that the next text replaces. Only on a terminal. */
  transient(text: string): void {
    if (this.#output.isTTY !== true || this.#held !== undefined) return;
    if (this.#inLine && !this.#isTransient) return;
    const width = (this.#output.columns ?? 80) - 1;
    this.#raw(`${this.#isTransient ? CLEAR_LINE : ""}\x1b[2m${text.slice(0, width)}\x1b[22m`);
    this.#isTransient = true;
  }

  /** Hold back text from now on. Typed text is written by {@link typed}. */
  hold(): void {
    this.freshLine();
    this.#clearTransient();
    this.#held ??= [];
  }

  /** Write typed text or its prompt, which is never held back. */
  typed(text: string): void {
    this.#clearTransient();
    this.#raw(text);
  }

  /** Write the text that was held back. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldChars = 0;
    this.#inLine = false;
    for (const text of held) this.#put(text);
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
    this.#clearTransient();
    this.#raw(text);
    this.#inLine = !text.endsWith("\n");
  }

  #clearTransient(): void {
    if (!this.#isTransient) return;
    this.#isTransient = false;
    this.#raw(CLEAR_LINE);
  }

  #raw(text: string): void {
    if (!this.#broken) this.#output.write(text);
  }
}
