import type { Clock } from "../../ports/clock.ts";
import { startWatchdog } from "./watchdog.ts";

/** Combines many small items into few larger ones, synchronously. */
export interface Fold<In, Out> {
  /**
   * Add an item. Returns true if it must not wait for the end of the frame. An error ends the stream after the earlier
   * items.
   */
  push(item: In): boolean;
  /** Return the items since the last call. */
  take(): readonly Out[];
  /** Whether the last item was added: later items are ignored. */
  readonly done: boolean;
}

export interface FrameOptions<Out> {
  readonly clock: Clock;
  /** Ends the frames. The source has its own signal. */
  readonly signal: AbortSignal;
  /** The shortest time between two batches, in milliseconds. */
  readonly frameMs: number;
  /** Maximum time without an item, in milliseconds (up to a quarter more). */
  readonly idleTimeoutMs: number;
  /** Called with each batch; it is not empty. */
  readonly emit: (batch: readonly Out[]) => void;
}

/**
 * Reads `source` in one loop into `fold` and emits what it folded, at most one batch a frame. The first item after a
 * pause, an urgent item and the end do not wait. An item costs one `push`: no timer, no clock read, no promise. A
 * frame costs a timer only if something comes before its end. Resolves at the end of the source or of the fold, and
 * when the signal aborts.
 *
 * @throws ModelError `idle_timeout`; any error of the source or the fold
 */
export function readInFrames<In, Out>(
  source: AsyncIterable<In>,
  fold: Fold<In, Out>,
  options: FrameOptions<Out>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    void new FrameReader(fold, options, resolve, reject).read(source);
  });
}

class FrameReader<In, Out> {
  readonly #fold: Fold<In, Out>;
  readonly #options: FrameOptions<Out>;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #frame: Frame;
  readonly #stopWatchdog: () => void;
  readonly #onAbort = (): void => this.#end(() => {});
  #count = 0;
  #isOver = false;

  constructor(
    fold: Fold<In, Out>,
    options: FrameOptions<Out>,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#fold = fold;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    const { clock, signal, frameMs, idleTimeoutMs } = options;
    this.#frame = new Frame(clock, frameMs, () => this.#endFrame());
    this.#stopWatchdog = startWatchdog({
      clock,
      idleTimeoutMs,
      count: () => this.#count,
      onIdle: (error) => this.#fail(error),
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async read(source: AsyncIterable<In>): Promise<void> {
    try {
      for await (const item of source) {
        if (this.#isOver) return;
        this.#count += 1;
        const isUrgent = this.#fold.push(item);
        if (isUrgent || this.#frame.isOver) this.#emitBatch();
        else this.#frame.waitForEnd();
        if (this.#isOver) return;
      }
      this.#end(() => this.#emitBatch());
    } catch (error) {
      this.#fail(error);
    }
  }

  #emitBatch(): void {
    const batch = this.#fold.take();
    if (batch.length > 0) this.#options.emit(batch);
    if (this.#fold.done) this.#end(() => {});
    else if (!this.#isOver) this.#frame.begin();
  }

  #endFrame(): void {
    try {
      this.#emitBatch();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#end(() => {
      this.#emitBatch();
      throw error;
    });
  }

  /** Settles as `last` returns or throws. */
  #end(last: () => void): void {
    if (this.#isOver) return;
    try {
      last();
      this.#resolve();
    } catch (error) {
      this.#reject(error);
    }
    this.#isOver = true;
    this.#frame.cancel();
    this.#stopWatchdog();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
  }
}

/** The time between two batches. It needs a timer only while a batch waits for its end. */
class Frame {
  isOver = true;
  readonly #clock: Clock;
  readonly #frameMs: number;
  readonly #onEnd: () => void;
  #endsAt = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, frameMs: number, onEnd: () => void) {
    this.#clock = clock;
    this.#frameMs = frameMs;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.cancel();
    this.isOver = false;
    this.#endsAt = this.#clock.now() + this.#frameMs;
  }

  /** End the frame when its time is over, or at once if it already is, as in a slow stream. */
  waitForEnd(): void {
    if (this.#cancel !== undefined) return;
    // A clock that is set back must not delay a batch for more than a frame.
    const left = Math.min(this.#endsAt - this.#clock.now(), this.#frameMs);
    if (left > 0) this.#cancel = this.#clock.after(left, () => this.#end());
    else this.#end();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #end(): void {
    this.isOver = true;
    this.#onEnd();
  }
}
