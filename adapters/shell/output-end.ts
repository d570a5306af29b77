/** The end of an output, of at most `maxBytes` bytes. */
export class OutputEnd {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get text(): string {
    return this.#bytes.toString();
  }

  add(bytes: Uint8Array): void {
    // The copy lets go of what is cut off.
    this.#bytes = Buffer.from(Buffer.concat([this.#bytes, bytes]).subarray(-this.#maxBytes));
  }
}
