import { ServerError } from "./error.ts";
import { Sleeper } from "./feed/index.ts";

/** The streams that are open: so many at most, and all of them end with the server. */
export class Streams {
  readonly #max: number;
  readonly #sleepers = new Set<Sleeper>();
  #isClosed = false;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#sleepers.size;
  }

  /** @throws ServerError `STREAMS_FULL`, `SERVER_CLOSED` */
  async hold<T>(work: (sleeper: Sleeper) => Promise<T>): Promise<T> {
    if (this.#isClosed)
      throw new ServerError("SERVER_CLOSED", "This server is being closed. Come again when it is back.");
    if (this.#sleepers.size >= this.#max)
      throw new ServerError(
        "STREAMS_FULL",
        `This server has ${this.#max} streams open, its limit \`streams\`. End one, or raise it where the server is made.`,
      );
    const sleeper = new Sleeper();
    this.#sleepers.add(sleeper);
    try {
      return await work(sleeper);
    } finally {
      this.#sleepers.delete(sleeper);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const sleeper of this.#sleepers) sleeper.leave();
  }
}
