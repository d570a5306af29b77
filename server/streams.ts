import { WakeSignal } from "../actors/protocol/wake-signal.ts";
import type { Clock } from "../ports/clock.ts";
import { ServerError } from "./error.ts";
import type { ResponseStream } from "./stream/response-stream.ts";

/** How long a reader has for its last events when the server is closed. */
export const CLOSE_MS = 1_000;

/** The open streams: their number is limited, and all end with the server. */
export class Streams {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #open = new Map<ResponseStream, WakeSignal>();
  #ended: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether the server closes: it takes no further requests. */
  get isClosed(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Add a stream. Returns the signal that aborts its items when it ends.
   * @throws ServerError `STREAMS_FULL`, `SERVER_CLOSED`
   */
  open(stream: ResponseStream): WakeSignal {
    if (this.isClosed) throw closing();
    if (this.#open.size >= this.#max)
      throw new ServerError(
        "STREAMS_FULL",
        `This server has ${this.#max} open streams, its limit \`streams\`. End one, or raise the server's limit.`,
      );
    const signal = new WakeSignal();
    this.#open.set(stream, signal);
    stream.onClose(signal.abort);
    return signal;
  }

  /** Remove a stream that has ended. */
  remove(stream: ResponseStream): void {
    this.#open.delete(stream);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** End all streams. Resolves once they have ended: a reader that takes too long is disconnected. */
  close(): Promise<void> {
    this.#ended ??= this.#endAll();
    return this.#ended;
  }

  async #endAll(): Promise<void> {
    if (this.#open.size === 0) return;
    const ended = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const signal of this.#open.values()) signal.abort();
    const cancelTimer = this.#clock.after(CLOSE_MS, () => {
      for (const stream of this.#open.keys()) stream.cut(closing());
    });
    await ended;
    cancelTimer();
  }
}

/** The error of a request to a server that closes. */
export const closing = (): ServerError =>
  new ServerError("SERVER_CLOSED", "This server is closing. Retry when it is back.");
