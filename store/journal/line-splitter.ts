const NEWLINE = 0x0a;

/** The number of bytes up to and including the last newline, or 0. */
export const wholeLines = (bytes: Uint8Array): number => bytes.lastIndexOf(NEWLINE) + 1;

export interface Line {
  /** The line without its newline. */
  readonly bytes: Uint8Array & { toString(encoding?: "utf8"): string };
  /** Byte offset of the line. */
  readonly at: number;
  /** Length in bytes, including the newline. */
  readonly length: number;
  /** Whether the newline is missing; only the last line can be open. */
  readonly open: boolean;
}

/** Split a stream of bytes into lines. Copies only lines that span several chunks. */
export class LineSplitter {
  #chunks: Buffer[] = [];
  #at = 0;

  /** The lines that this chunk completes. */
  *push(bytes: Uint8Array): Generator<Line> {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      yield this.#line(chunk.subarray(from, to), false);
      from = to + 1;
    }
    if (from < chunk.length) this.#chunks.push(chunk.subarray(from));
  }

  /** The open line at the end, if any. */
  end(): Line | undefined {
    return this.#chunks.length === 0 ? undefined : this.#line(Buffer.alloc(0), true);
  }

  #line(end: Buffer, open: boolean): Line {
    const bytes = this.#chunks.length === 0 ? end : Buffer.concat([...this.#chunks, end]);
    if (this.#chunks.length > 0) this.#chunks = [];
    const at = this.#at;
    const length = bytes.length + (open ? 0 : 1);
    this.#at += length;
    return { bytes, at, length, open };
  }
}
