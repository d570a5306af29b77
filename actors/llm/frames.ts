import type { Clock } from "../protocol/index.ts";
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

export interface FrameOptions {
  readonly clock: Clock;
  /** Ends the frames. The source has its own signal. */
  readonly signal: AbortSignal;
  /** The shortest time between two batches, in milliseconds. */
  readonly frameMs: number;
  /** Maximum time without an item, in milliseconds (up to a quarter more). */
  readonly idleTimeoutMs: number;
}

/**
 * Reads `source` in one loop into `fold` and yields what it folded, at most one batch a frame. The first item after a
 * pause, an urgent item and the end do not wait. An item costs one `push`: no timer, no clock read, no promise. A
 * frame costs a timer only if something comes before its end.
 *
 * @throws ModelError `idle_timeout`; any error of the source or the fold
 */
export async function* readInFrames<In, Out>(
  source: AsyncIterable<In>,
  fold: Fold<In, Out>,
  { clock, signal, frameMs, idleTimeoutMs }: FrameOptions,
): AsyncGenerator<readonly Out[]> {
  let count = 0;
  let taken = 0;
  let isUrgent = false;
  let isOver = false;
  let end: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  const finish = (how: { readonly error?: unknown }): void => {
    end ??= how;
    wake();
  };
  const frame = new Frame(clock, frameMs, () => wake());
  const read = async (): Promise<void> => {
    try {
      for await (const item of source) {
        count += 1;
        if (fold.push(item)) isUrgent = true;
        if (isUrgent || frame.isOver) wake();
        else frame.waitForEnd();
        if (isOver) return;
      }
      finish({});
    } catch (error) {
      finish({ error });
    }
  };
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  const stopWatchdog = startWatchdog({
    clock,
    idleTimeoutMs,
    count: () => count,
    onIdle: (error) => finish({ error }),
  });
  void read();
  try {
    while (!signal.aborted) {
      if (end === undefined && !isUrgent && !(frame.isOver && count !== taken)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      // Items and the end that come while this batch is processed belong to the next one.
      const last = fold.done ? {} : end;
      isUrgent = false;
      taken = count;
      const batch = fold.take();
      if (batch.length > 0) yield batch;
      if (last !== undefined) {
        if ("error" in last) throw last.error;
        return;
      }
      frame.begin();
      if (count !== taken) frame.waitForEnd();
    }
  } finally {
    isOver = true;
    frame.cancel();
    stopWatchdog();
    signal.removeEventListener("abort", onAbort);
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
