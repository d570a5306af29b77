import type { Writable } from "node:stream";

/** Where on the page the next text comes to stand. */
export interface Pen {
  /** Whether a line has begun that isn't ended. */
  readonly isInLine: boolean;
  /** Whose text came last. */
  readonly owner: unknown;
}

/** What is to be written: asked for its next text as long as it has more. */
export interface Job {
  next(pen: Pen): { readonly text: string; readonly hasMore: boolean };
}

/**
 * One stream that text is written to, no faster than its reader takes it. What waits is not a list of texts, but of jobs
 * that are asked for their text once there is room: so what changes meanwhile is written once, as it then is. When the
 * reader has gone away it is silent.
 */
export class Outlet {
  readonly #stream: Writable;
  readonly #write: (text: string, done: () => void) => boolean;
  readonly #jobs = new Map<unknown, Job>();
  readonly #waiting = new Set<() => void>();
  #isInLine = false;
  #owner: unknown;
  #isFull: boolean;
  #isPumping = false;
  #isGone = false;
  #inFlight = 0;

  constructor(stream: Writable, onError: (error: Error) => void) {
    this.#stream = stream;
    // The stream's own, also where others are kept from writing later.
    const { write } = stream;
    this.#write = (text, done) => Reflect.apply(write, stream, [text, done]);
    this.#isFull = stream.writableNeedDrain;
    stream.on("drain", () => this.#goOn());
    stream.on("error", (error) => {
      this.#leave();
      onError(error);
    });
    stream.on("close", () => this.#leave());
  }

  /** Nobody reads any more: what is written from now on is dropped. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Has a job done, after those that wait. One with this key that waits already keeps its place. */
  put(key: unknown, job: Job): void {
    if (this.#isGone) return;
    this.#jobs.set(key, job);
    this.#pump();
  }

  /** Somebody else has ended the line, as a terminal does that shows what is typed. */
  lineEnded(): void {
    this.#isInLine = false;
  }

  /** Resolves when the stream has taken all that waits, or nobody reads any more. */
  flushed(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #pump(): void {
    // A stream may ask for more while it is being written to.
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (const [key, job] of this.#jobs) {
      let hasMore = true;
      while (hasMore && !this.#isFull && !this.#isGone) hasMore = this.#do(key, job);
      if (hasMore) break;
      this.#jobs.delete(key);
    }
    this.#isPumping = false;
    this.#settle();
  }

  #do(key: unknown, job: Job): boolean {
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

  #goOn(): void {
    this.#isFull = this.#stream.writableNeedDrain;
    this.#pump();
  }

  #leave(): void {
    this.#isGone = true;
    this.#jobs.clear();
    this.#settle();
  }

  #isIdle(): boolean {
    return this.#isGone || (this.#jobs.size === 0 && this.#inFlight === 0);
  }

  #settle(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
