import { WakeSignal } from "../visualize/trace/live/wake-signal.ts";
import { ServerError } from "./error.ts";

/** The open streams: their number is limited, and all end with the server. */
export class Streams {
  readonly #max: number;
  readonly #signals = new Set<WakeSignal>();
  #isClosed = false;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#signals.size;
  }

  /** Add a stream. @throws ServerError `STREAMS_FULL`, `SERVER_CLOSED` */
  open(): WakeSignal {
    if (this.#isClosed)
      throw new ServerError("SERVER_CLOSED", "This server is closing. Retry when it is back.");
    if (this.#signals.size >= this.#max)
      throw new ServerError(
        "STREAMS_FULL",
        `This server has ${this.#max} open streams, its limit \`streams\`. End one, or raise the server's limit.`,
      );
    const signal = new WakeSignal();
    this.#signals.add(signal);
    return signal;
  }

  /** Remove a stream that has ended. */
  remove(signal: WakeSignal): void {
    this.#signals.delete(signal);
  }

  close(): void {
    this.#isClosed = true;
    for (const signal of this.#signals) signal.abort();
  }
}
