import type { Clock } from "../protocol/index.ts";
import { ModelError } from "./model-error.ts";

/** Turns many small items into few larger ones, synchronously. */
export interface Fold<In, Out> {
  /** Takes one item in. What it throws ends the stream, after what came before it. */
  push(item: In): void;
  /** What has come since the last time. */
  take(): readonly Out[];
  /** The last item has come: what follows is ignored. */
  readonly done: boolean;
}

export interface FrameOptions {
  readonly clock: Clock;
  /** Ends the frames; the source is left to its own signal. */
  readonly signal: AbortSignal;
  /** The shortest time between two batches, in milliseconds. */
  readonly frameMs: number;
  /** The longest silence of the source, in milliseconds (at most a quarter more). */
  readonly idleTimeoutMs: number;
  /** How long the source may take to end after its last item, in milliseconds. */
  readonly lingerMs?: number;
}

/** The silence is measured in so many looks: a beat per item is counted, and no clock is read for it. */
const LOOKS = 4;

/**
 * Reads `source` in one loop into `fold` and gives what it folded, at most one batch a frame; the first item
 * after a pause is given at once, and so is the end. An item costs one `push`: no timer, no clock, no promise. A frame
 * costs a timer only if something came before it was over.
 *
 * @throws ModelError `idle_timeout`; whatever the source or the fold throws
 */
export async function* inFrames<In, Out>(
  source: AsyncIterable<In>,
  fold: Fold<In, Out>,
  options: FrameOptions,
): AsyncGenerator<readonly Out[]> {
  const { clock, signal, lingerMs = 0 } = options;
  let beats = 0;
  let taken = 0;
  let idle = false;
  let lingered = lingerMs <= 0;
  let over = false;
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => {};

  const pump = async (): Promise<void> => {
    try {
      for await (const item of source) {
        beats += 1;
        fold.push(item);
        if (frame.open || fold.done) wake();
        else frame.await();
        if (over) return;
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    wake();
  };
  const ready = (): boolean => {
    if (signal.aborted || idle || end !== undefined) return true;
    return fold.done ? lingered : frame.open && beats !== taken;
  };
  const onAbort = (): void => wake();
  const timers = new Timers(clock);
  const frame = new Frame(clock, timers, options.frameMs, () => wake());
  signal.addEventListener("abort", onAbort, { once: true });
  watch(
    timers,
    options.idleTimeoutMs,
    () => beats,
    () => {
      idle = true;
      wake();
    },
  );
  void pump();
  try {
    while (!signal.aborted) {
      while (!ready()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (!fold.done || timers.has("linger")) return;
          timers.set("linger", lingerMs, () => {
            lingered = true;
            wake();
          });
        });
      }
      if (signal.aborted) return;
      // What comes while the batch is being read belongs to the next one: so does an end.
      const came = { done: fold.done, end, idle };
      taken = beats;
      const batch = fold.take();
      if (batch.length > 0) yield batch;
      if (came.done) return;
      if (came.end !== undefined) {
        if ("error" in came.end) throw came.end.error;
        return;
      }
      if (came.idle) throw idleTimeout(options.idleTimeoutMs);
      frame.close(beats !== taken);
    }
  } finally {
    over = true;
    timers.clear();
    signal.removeEventListener("abort", onAbort);
  }
}

/** The time between two batches. A timer waits for its end only where something else does. */
class Frame {
  open = true;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #frameMs: number;
  readonly #opened: () => void;
  #opensAt = 0;
  #awaited = false;

  constructor(clock: Clock, timers: Timers, frameMs: number, opened: () => void) {
    this.#clock = clock;
    this.#timers = timers;
    this.#frameMs = frameMs;
    this.#opened = opened;
  }

  /** Begins anew; `awaited`: something has come for the next one already. */
  close(awaited: boolean): void {
    this.open = false;
    this.#awaited = false;
    this.#opensAt = this.#clock.now() + this.#frameMs;
    if (awaited) this.await();
  }

  /** Opens it when it is due: at once where it is already, as in a slow stream. */
  await(): void {
    if (this.#awaited) return;
    this.#awaited = true;
    // A clock that was set back must not hold a batch for longer than a frame.
    const left = Math.min(this.#opensAt - this.#clock.now(), this.#frameMs);
    if (left > 0) this.#timers.set("frame", left, () => this.#open());
    else this.#open();
  }

  #open(): void {
    this.open = true;
    this.#opened();
  }
}

/** Calls `silent` once nothing has been counted for `idleTimeoutMs`. */
function watch(timers: Timers, idleTimeoutMs: number, beats: () => number, silent: () => void): void {
  let seen = beats();
  let looks = 0;
  const look = (): void => {
    const now = beats();
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks >= LOOKS) silent();
    else timers.set("idle", idleTimeoutMs / LOOKS, look);
  };
  timers.set("idle", idleTimeoutMs / LOOKS, look);
}

/** A few timers by name, all taken back at once. */
class Timers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(name: string): boolean {
    return this.#cancels.has(name);
  }

  set(name: string, delayMs: number, fire: () => void): void {
    this.#cancels.get(name)?.();
    this.#cancels.set(name, this.#clock.after(delayMs, fire));
  }

  clear(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}

function idleTimeout(idleTimeoutMs: number): ModelError {
  return new ModelError(
    "idle_timeout",
    `The endpoint was silent for ${idleTimeoutMs} ms while an answer was expected. A longer silence is allowed by idleTimeoutMs.`,
    { retryable: true },
  );
}
