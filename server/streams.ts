import { Waiter } from "../trace/index.ts";
import { ServerError } from "./error.ts";

/** The streams that are open: so many at most, and all of them end with the server. */
export class Streams {
  readonly #max: number;
  readonly #waiters = new Set<Waiter>();
  #isClosed = false;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** @throws ServerError `STREAMS_FULL`, `SERVER_CLOSED` */
  async hold<T>(work: (waiter: Waiter) => Promise<T>): Promise<T> {
    if (this.#isClosed)
      throw new ServerError("SERVER_CLOSED", "This server is being closed. Come again when it is back.");
    if (this.#waiters.size >= this.#max)
      throw new ServerError(
        "STREAMS_FULL",
        `This server has ${this.#max} streams open, its limit \`streams\`. End one, or raise it where the server is made.`,
      );
    const waiter = new Waiter();
    this.#waiters.add(waiter);
    try {
      return await work(waiter);
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.leave();
  }
}
