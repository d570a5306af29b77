const NEWLINE = 0x0a;

/** How many of these bytes are whole lines: up to and including the last newline, or 0. */
export const wholeLines = (bytes: Uint8Array): number => bytes.lastIndexOf(NEWLINE) + 1;

export interface Line {
  /** Without its newline. */
  readonly bytes: Buffer;
  /** Where it begins. */
  readonly at: number;
  /** Its length with its newline. */
  readonly length: number;
  /** It has no newline: only the last can be so. */
  readonly open: boolean;
}

/** Cuts a stream of bytes into lines. Copies only what comes in more than one piece. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #at = 0;

  /** The lines that this piece completes. */
  *push(piece: Uint8Array): Generator<Line> {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      yield this.#line(chunk.subarray(from, to), false);
      from = to + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
  }

  /** What stands behind the last newline, if anything. */
  end(): Line | undefined {
    return this.#pieces.length === 0 ? undefined : this.#line(Buffer.alloc(0), true);
  }

  #line(end: Buffer, open: boolean): Line {
    const bytes = this.#pieces.length === 0 ? end : Buffer.concat([...this.#pieces, end]);
    if (this.#pieces.length > 0) this.#pieces = [];
    const at = this.#at;
    const length = bytes.length + (open ? 0 : 1);
    this.#at += length;
    return { bytes, at, length, open };
  }
}
