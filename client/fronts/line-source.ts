import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Who hears what is typed. */
export interface LineListener {
  /** A line, without its end. `isFirst`: nothing that came with it stood before it. */
  line(text: string, isFirst: boolean): void;
  /** Something has come of a line that has not ended. */
  begun(): void;
  /** A line was longer than is taken: it is dropped. */
  tooLong(maxChars: number): void;
  /** There will be no more. */
  ended(): void;
}

/** The lines of a stream, as they come. What stands behind the last end of line is a line too. */
export class LineSource {
  readonly #input: Readable;
  readonly #listener: LineListener;
  readonly #maxChars: number;
  readonly #decoder = new StringDecoder("utf8");
  readonly #onData = (chunk: unknown): void => this.#take(this.#textOf(chunk));
  readonly #onEnd = (): void => this.#end();
  #begun = "";
  #isTooLong = false;
  #isOver = false;

  constructor(input: Readable, listener: LineListener, maxChars: number) {
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
    if (!this.#isOver) this.#input.resume();
  }

  /** Hears no more. The stream is left paused, so that it keeps no process alive. */
  close(): void {
    this.#isOver = true;
    this.#input.off("data", this.#onData);
    for (const end of ["end", "close", "error"]) this.#input.off(end, this.#onEnd);
    this.#input.pause();
  }

  #textOf(chunk: unknown): string {
    return typeof chunk === "string" ? chunk : this.#decoder.write(Buffer.from(chunk as Uint8Array));
  }

  #take(text: string): void {
    const [head = "", ...tail] = text.split("\n");
    this.#add(head);
    tail.forEach((next, index) => {
      if (this.#isOver) return;
      this.#finishLine(index === 0);
      this.#add(next);
    });
    if (this.#begun !== "" && !this.#isOver) this.#listener.begun();
  }

  #add(text: string): void {
    this.#isTooLong ||= this.#begun.length + text.length > this.#maxChars;
    this.#begun = this.#isTooLong ? "" : this.#begun + text;
  }

  #finishLine(isFirst: boolean): void {
    const line = this.#begun.replace(/\r$/, "");
    const isTooLong = this.#isTooLong;
    this.#begun = "";
    this.#isTooLong = false;
    if (isTooLong) this.#listener.tooLong(this.#maxChars);
    else this.#listener.line(line, isFirst);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#add(this.#decoder.end());
    if (this.#begun !== "" || this.#isTooLong) this.#finishLine(true);
    if (this.#isOver) return;
    this.close();
    this.#listener.ended();
  }
}
