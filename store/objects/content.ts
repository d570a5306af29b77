import { toObjectError } from "./error.ts";

/** The content of a put. Its own failure reaches the caller as it is; a failure of the storage does not. */
export class Content implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterable<Uint8Array>;
  #failure: { readonly error: unknown } | undefined;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const chunks = this.#chunks[Symbol.asyncIterator]();
    try {
      for (let next = await this.#next(chunks); next !== undefined; next = await this.#next(chunks))
        yield next;
    } finally {
      await chunks.return?.();
    }
  }

  /** The error that a put rejects with. */
  toError(path: string, error: unknown): unknown {
    return this.#failure !== undefined && this.#failure.error === error ? error : toObjectError(path, error);
  }

  async #next(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
