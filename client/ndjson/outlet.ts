import type { Writable } from "node:stream";
import type { JsonEvent } from "../../wire/index.ts";
import { JsonStreamError } from "./error.ts";
import { eventOf, isPiece, joined, type Line } from "./line.ts";

/** Lines that wait for a slow reader, at most. Pieces of one row that wait are one line. */
export const DEFAULT_WAITING_LINES = 100_000;

interface Waiting {
  readonly requestId: string | undefined;
  line: Line;
}

/**
 * Writes events, one JSON object a line, as fast as the reader takes them. While the reader is behind, the pieces of
 * a row that streams are joined: what waits is bounded by the text that was made, and nothing is lost (L14).
 */
export class Outlet {
  readonly #stdout: Writable;
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #isBehind = false;
  #broken: JsonStreamError | undefined;
  readonly #onBroken: ((error: JsonStreamError) => void)[] = [];
  readonly #onEmpty: (() => void)[] = [];

  constructor(stdout: Writable, limit: number) {
    this.#stdout = stdout;
    this.#limit = limit;
    stdout.on("error", (cause) => this.#break(new JsonStreamError("OUTPUT_CLOSED", String(cause), cause)));
    stdout.on("drain", () => this.#goOn());
  }

  /** Lines that wait for the reader. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Told once when nothing can be written any more. */
  onBroken(listener: (error: JsonStreamError) => void): void {
    this.#onBroken.push(listener);
    if (this.#broken !== undefined) listener(this.#broken);
  }

  write(line: Line, requestId: string | undefined): void {
    if (this.#broken !== undefined) return;
    if (!this.#isBehind) this.#put(eventOf(line), requestId);
    else this.#wait(line, requestId);
  }

  /** Resolves when nothing waits, or never can be written. */
  flushed(): Promise<void> {
    if (!this.#isBehind || this.#broken !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /** As it stands, beside what waits: `value` is one whole text. */
  writeText(value: string): void {
    if (this.#broken === undefined && !this.#stdout.write(value)) this.#isBehind = true;
  }

  #put(event: JsonEvent, requestId: string | undefined): void {
    const line = requestId === undefined ? event : { ...event, requestId };
    if (!this.#stdout.write(`${JSON.stringify(line)}\n`)) this.#isBehind = true;
  }

  #wait(line: Line, requestId: string | undefined): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.requestId === requestId && isPiece(last.line) && isPiece(line)) {
      const both = joined(last.line, line);
      if (both !== undefined) {
        last.line = both;
        return;
      }
    }
    this.#waiting.push({ line, requestId });
    if (this.#waiting.length <= this.#limit) return;
    const message = `The reader of the output is ${this.#waiting.length} lines behind, and the limit \`waitingLines\` is ${this.#limit}: read it, or raise the limit.`;
    this.#break(new JsonStreamError("OUTPUT_FULL", message));
  }

  #goOn(): void {
    this.#isBehind = false;
    let written = 0;
    for (const { line, requestId } of this.#waiting) {
      if (this.#isBehind) break;
      written += 1;
      // Pieces that took each other back have nothing left to tell.
      if (!isPiece(line) || line.change.delta !== "") this.#put(eventOf(line), requestId);
    }
    this.#waiting.splice(0, written);
    if (!this.#isBehind) this.#empty();
  }

  #empty(): void {
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  #break(error: JsonStreamError): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    this.#waiting.length = 0;
    for (const listener of this.#onBroken) listener(error);
    this.#empty();
  }
}
