import type { Writable } from "node:stream";
import { SignalboxError } from "../../../machines/signalbox-error.ts";
import type { JsonEvent } from "../../../wire/ndjson/event.ts";
import { eventOf, isDelta, type Line, mergeDeltas } from "./event-line.ts";

/** Reason why no further events can be written. */
export type JsonStreamErrorCode =
  /** The reader has closed the stream. Start again with a reader. */
  | "OUTPUT_CLOSED"
  /** The reader is too far behind. Read faster, or raise `waitingLines`. */
  | "OUTPUT_FULL";

/** The output of events ended early. */
export class JsonStreamError extends SignalboxError {
  readonly code: JsonStreamErrorCode;
  constructor(code: JsonStreamErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "JsonStreamError";
    this.code = code;
  }
}

/** Default number of lines queued for a slow reader. Queued deltas of one message count as one line. */
export const DEFAULT_WAITING_LINES = 100_000;

interface QueuedLine {
  readonly requestId: string | undefined;
  line: Line;
}

/**
 * Writes events with backpressure, one JSON object a line. While the stream is full, deltas of one message are merged:
 * the queue is bounded by the text itself, and nothing is lost (L14).
 */
export class LineWriter {
  readonly #stdout: Writable;
  readonly #limit: number;
  readonly #queue: QueuedLine[] = [];
  #isFull = false;
  #broken: JsonStreamError | undefined;
  readonly #onBroken: ((error: JsonStreamError) => void)[] = [];
  readonly #onFlushed: (() => void)[] = [];

  constructor(stdout: Writable, limit: number) {
    this.#stdout = stdout;
    this.#limit = limit;
    stdout.on("error", (cause) => this.#break(new JsonStreamError("OUTPUT_CLOSED", String(cause), cause)));
    stdout.on("drain", () => this.#drain());
  }

  /** The number of queued lines. */
  get queuedLines(): number {
    return this.#queue.length;
  }

  /** Calls the listener once when writing has failed for good. */
  onBroken(listener: (error: JsonStreamError) => void): void {
    this.#onBroken.push(listener);
    if (this.#broken !== undefined) listener(this.#broken);
  }

  write(line: Line, requestId: string | undefined): void {
    if (this.#broken !== undefined) return;
    if (!this.#isFull) this.#put(eventOf(line), requestId);
    else this.#enqueue(line, requestId);
  }

  /** Resolves when the queue is empty, or writing has failed. */
  flushed(): Promise<void> {
    if (!this.#isFull || this.#broken !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#onFlushed.push(resolve));
  }

  /** Write one complete text immediately, ahead of the queue. */
  writeText(value: string): void {
    if (this.#broken === undefined && !this.#stdout.write(value)) this.#isFull = true;
  }

  #put(event: JsonEvent, requestId: string | undefined): void {
    const line = requestId === undefined ? event : { ...event, requestId };
    if (!this.#stdout.write(`${JSON.stringify(line)}\n`)) this.#isFull = true;
  }

  #enqueue(line: Line, requestId: string | undefined): void {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.requestId === requestId && isDelta(last.line) && isDelta(line)) {
      const both = mergeDeltas(last.line, line);
      if (both !== undefined) {
        last.line = both;
        return;
      }
    }
    this.#queue.push({ line, requestId });
    if (this.#queue.length <= this.#limit) return;
    const message = `The reader of the output is ${this.#queue.length} lines behind, and the limit \`waitingLines\` is ${this.#limit}: read it, or raise the limit.`;
    this.#break(new JsonStreamError("OUTPUT_FULL", message));
  }

  #drain(): void {
    this.#isFull = false;
    let written = 0;
    for (const { line, requestId } of this.#queue) {
      if (this.#isFull) break;
      written += 1;
      // Merged deltas may cancel each other out.
      if (!isDelta(line) || line.change.delta !== "") this.#put(eventOf(line), requestId);
    }
    this.#queue.splice(0, written);
    if (!this.#isFull) this.#notifyFlushed();
  }

  #notifyFlushed(): void {
    for (const resolve of this.#onFlushed.splice(0)) resolve();
  }

  #break(error: JsonStreamError): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    this.#queue.length = 0;
    for (const listener of this.#onBroken) listener(error);
    this.#notifyFlushed();
  }
}
