import type { Writable } from "node:stream";

/** The position at which the next text is written. */
export interface WriteState {
  /** Whether the current line has text. */
  readonly isInLine: boolean;
  /** The key of the job that wrote last. */
  readonly owner: unknown;
}

/** A writer of text: called for its next text while it has more. */
export interface WriteJob {
  next(pen: WriteState): { readonly text: string; readonly hasMore: boolean };
}

/**
 * Writes text to a stream with backpressure. It queues jobs, not texts: a job creates its text when the stream has room,
 * so text that changes in the meantime is written once. After the reader has closed the stream nothing is written.
 */
export class StreamWriter {
  readonly #stream: Writable;
  readonly #write: (text: string, done: () => void) => boolean;
  readonly #jobs = new Map<unknown, WriteJob>();
  readonly #flushing = new Set<() => void>();
  #isInLine = false;
  #owner: unknown;
  #isFull: boolean;
  #isPumping = false;
  #isGone = false;
  #inFlight = 0;

  constructor(stream: Writable, onError: (error: Error) => void) {
    this.#stream = stream;
    // The original function, which a later capture of the stream does not replace.
    const { write } = stream;
    this.#write = (text, done) => Reflect.apply(write, stream, [text, done]);
    this.#isFull = stream.writableNeedDrain;
    stream.on("drain", () => this.#drain());
    stream.on("error", (error) => {
      this.#close();
      onError(error);
    });
    stream.on("close", () => this.#close());
  }

  /** Whether the stream is closed: further text is dropped. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Queue a job. It replaces a queued job with the same key, in its position. */
  put(key: unknown, job: WriteJob): void {
    if (this.#isGone) return;
    this.#jobs.set(key, job);
    this.#pump();
  }

  /** Notify that other code has ended the line, as a terminal does that echoes input. */
  lineEnded(): void {
    this.#isInLine = false;
  }

  /** Resolves when the stream has taken all queued text, or is closed. */
  flushed(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#flushing.add(resolve));
  }

  #pump(): void {
    // A stream may emit drain during a write.
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (const [key, job] of this.#jobs) {
      let hasMore = true;
      while (hasMore && !this.#isFull && !this.#isGone) hasMore = this.#run(key, job);
      if (hasMore) break;
      this.#jobs.delete(key);
    }
    this.#isPumping = false;
    this.#settle();
  }

  #run(key: unknown, job: WriteJob): boolean {
    const { text, hasMore } = job.next({ isInLine: this.#isInLine, owner: this.#owner });
    if (text === "") return hasMore;
    this.#owner = key;
    this.#isInLine = !text.endsWith("\n");
    this.#inFlight += 1;
    const hasRoom = this.#write(text, () => {
      this.#inFlight -= 1;
      this.#settle();
    });
    this.#isFull = !hasRoom;
    return hasMore;
  }

  #drain(): void {
    this.#isFull = this.#stream.writableNeedDrain;
    this.#pump();
  }

  #close(): void {
    this.#isGone = true;
    this.#jobs.clear();
    this.#settle();
  }

  #isIdle(): boolean {
    return this.#isGone || (this.#jobs.size === 0 && this.#inFlight === 0);
  }

  #settle(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#flushing) resolve();
    this.#flushing.clear();
  }
}

/**
 * Capture everything that other code writes to a stream: it is passed to `instead`. A holder of the stream's original
 * `write` still writes. The returned function restores the stream.
 */
export function captureWrites(stream: Writable, instead: (text: string) => void): () => void {
  const own = Object.getOwnPropertyDescriptor(stream, "write");
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    instead(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const done = rest.find((argument) => typeof argument === "function");
    if (done !== undefined) queueMicrotask(() => done());
    return true;
  };
  Object.defineProperty(stream, "write", { value: write, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(stream, "write");
    else Object.defineProperty(stream, "write", own);
  };
}
