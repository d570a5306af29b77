import type { Readable } from "node:stream";

/** Callbacks of a {@link LineReader}. */
export interface LineListener {
  /** A complete line, without its line end. `isFirst`: it is the first line of its chunk. */
  line(text: string, isFirst: boolean): void;
  /** The input holds the beginning of a line. */
  begun?(): void;
  /** A line exceeded the limit and is dropped. */
  tooLong?(maxChars: number): void;
  /** The input has ended. */
  ended(): void;
}

/** Splits a stream into lines. Text after the last line end counts as a line when the stream ends. */
export class LineReader {
  readonly #input: Readable;
  readonly #listener: LineListener;
  readonly #maxChars: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #onData = (chunk: unknown): void => this.#take(this.#textOf(chunk));
  readonly #onEnd = (): void => this.#end();
  #partial = "";
  #isTooLong = false;
  #isClosed = false;

  /** @param maxChars Longer lines are dropped (L14). In UTF-16 units. */
  constructor(input: Readable, listener: LineListener, maxChars = Number.POSITIVE_INFINITY) {
    this.#input = input;
    this.#listener = listener;
    this.#maxChars = maxChars;
    input.on("data", this.#onData);
    for (const end of ["end", "close", "error"]) input.on(end, this.#onEnd);
    if (input.readableEnded || input.destroyed) queueMicrotask(this.#onEnd);
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    if (!this.#isClosed) this.#input.resume();
  }

  /** Stops reading. The stream is left paused, so that it keeps no process alive. */
  close(): void {
    this.#isClosed = true;
    this.#input.off("data", this.#onData);
    for (const end of ["end", "close", "error"]) this.#input.off(end, this.#onEnd);
    this.#input.pause();
  }

  #textOf(chunk: unknown): string {
    return chunk instanceof Uint8Array ? this.#decoder.decode(chunk, { stream: true }) : String(chunk);
  }

  #take(text: string): void {
    const [head = "", ...tail] = text.split("\n");
    this.#add(head);
    tail.forEach((next, index) => {
      if (this.#isClosed) return;
      this.#endLine(index === 0);
      this.#add(next);
    });
    if (this.#partial !== "" && !this.#isClosed) this.#listener.begun?.();
  }

  #add(text: string): void {
    this.#isTooLong ||= this.#partial.length + text.length > this.#maxChars;
    this.#partial = this.#isTooLong ? "" : this.#partial + text;
  }

  #endLine(isFirst: boolean): void {
    const line = this.#partial.replace(/\r$/, "");
    const isTooLong = this.#isTooLong;
    this.#partial = "";
    this.#isTooLong = false;
    if (isTooLong) this.#listener.tooLong?.(this.#maxChars);
    else this.#listener.line(line, isFirst);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#add(this.#decoder.decode());
    if (this.#partial !== "" || this.#isTooLong) this.#endLine(true);
    if (this.#isClosed) return;
    this.close();
    this.#listener.ended();
  }
}
